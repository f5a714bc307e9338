/**
 * Plumb in a browser or in Node: which way a board is held, from samples of its motion sensor.
 *
 * Everything is decided by Plumb's core, compiled to WebAssembly (`plumb.wasm.gz`, which must lie beside `plumb.js`). Events
 * have the names and fields of docs/output.md. All times are in seconds, forces in g, rotation rates in °/s, in the
 * board's frame: x to its right, y to its top, z out of its face; at rest, +1 g along the axis that points up.
 *
 *     import { load } from "./plumb.js";
 *
 *     const plumb = await load();
 *     const monitor = await plumb.monitor();
 *     for (const event of monitor.sample(0, [0, 1, 0])) console.log(event.event, event.words);
 */

/** Compiles the module: by default `plumb.wasm.gz` beside `plumb.js`, from a server or from the disk (Node). */
export function load(source?: string | URL | BufferSource | WebAssembly.Module): Promise<Plumb>;

/** The compiled module. Each monitor, board and reader has memory of its own, and it never grows. */
export interface Plumb {
  /** The version of Plumb, such as `0.2.0`. */
  readonly version: string;
  /** Names and their words, so that a page need not say any of them. */
  readonly vocabulary: Vocabulary;
  /** A monitor for samples of any sensor. */
  monitor(options?: MonitorOptions): Promise<Monitor>;
  /** A board whose sensor is emulated. */
  emulatedBoard(options?: BoardOptions): Promise<EmulatedBoard>;
  /** A reader of the lines that a live board sends. */
  streamReader(): Promise<StreamReader>;
}

export type Vector = readonly [x: number, y: number, z: number];

// The names of poses, reasons, events and faults are those of Plumb's core: `make web` puts them here.

/** In the order of the six LEDs. */
export type PoseName =
  | "@Pose@";

/** Why there is no pose. */
export type UnknownReason =
  | "@Reason@";

/** What can happen. */
export type EventName =
  | "@EventName@";

/** `cause` of an event, and the keys of `fault_kinds`. */
export type FaultKind =
  | "@FaultKind@";

/** What a bus can report. */
export type BusFault =
  | "noAcknowledge" | "arbitrationLost" | "timedOut" | "unsupported" | "notPermitted" | "busy" | "unavailable";

export interface Vocabulary {
  /** In the order of the six LEDs. */
  readonly poses: readonly {
    readonly name: PoseName; readonly words: string; readonly shortWords: string; readonly meaning: string;
  }[];
  readonly reasons: readonly { readonly name: UnknownReason; readonly words: string }[];
  readonly events: readonly EventName[];
  readonly faults: readonly FaultKind[];
}

/** Something that happened: the fields of docs/output.md for its kind, and the same in words. */
export interface PlumbEvent {
  readonly t: number;
  readonly event: EventName;
  readonly words: string;
  /** Of `pose`: a pose or `unknown`; of `rotation`: an orientation of the interface. */
  readonly from?: string;
  readonly to?: string;
  /** Of `pose`: the LEDs, in the order of the poses. */
  readonly leds?: readonly (0 | 1)[];
  readonly reason?: UnknownReason;
  readonly cause?: FaultKind;
  readonly detail?: string;
  readonly outage_s?: number;
  readonly phase?: "willRotate" | "firstHalf" | "secondHalf" | "didRotate" | "redirected";
  readonly duration_s?: number;
  readonly axis?: "x" | "y" | "z";
  readonly sign?: -1 | 0 | 1;
  readonly height_m?: number;
  readonly [field: string]: unknown;
}

/** A sample and what follows from it: the object `sample` of docs/output.md. */
export interface Reading {
  readonly t: number;
  readonly event: "sample";
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly pose: PoseName | "unknown";
  readonly reason?: UnknownReason;
  /** Null lying flat, as is `level_deg`. */
  readonly angle_deg: number | null;
  readonly level_deg: number | null;
  readonly pitch_deg: number;
  /** Null with the top edge straight up or down. */
  readonly roll_deg: number | null;
  readonly inclination_deg: number;
  readonly steering_deg: number;
  /** The scroll position, 0…1. */
  readonly scroll: readonly [x: number, y: number];
  readonly gravity: Vector;
  /** The fusion with a gyroscope: these are missing without one. */
  readonly up?: Vector;
  readonly heading_deg?: number | null;
  readonly rate_dps?: Vector;
  readonly bias_dps?: Vector;
  readonly still?: boolean;
  readonly certainty?: "starting" | "still" | "moving" | "clipped";
  readonly rotation_dps?: Vector;
}

/** What is known now; the fields are those of `hello` in docs/stream.md. */
export interface Snapshot {
  /** The time of the last step. */
  readonly t: number;
  /** A pose, or the reason why it is unknown. */
  readonly pose: PoseName | UnknownReason;
  /** The pose, or why it is unknown, in words. */
  readonly words: string;
  readonly cause?: FaultKind;
  /** Since when. */
  readonly since: number;
  /** The last force; null if there is none. */
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
  readonly still: boolean | null;
  readonly asleep: boolean;
  readonly busy: boolean | null;
  /** How many events there have been. */
  readonly events: number;
  /** The levels of the lines now, blinking included: of the six LEDs, in the order of the poses. */
  readonly lines: readonly (0 | 1)[];
  readonly tare: Vector | null;
  readonly counters: Counters;
}

export interface Counters {
  readonly samples: number;
  readonly pose_changes: number;
  readonly faults: number;
  readonly recoveries: number;
  readonly late_samples: number;
  readonly lost_samples: number;
  readonly shakes: number;
  readonly fault_kinds: Readonly<Partial<Record<FaultKind, number>>>;
  readonly unknown: Readonly<Partial<Record<UnknownReason, number>>>;
  readonly [counter: string]: unknown;
}

/** Settings; their defaults are those of a board file. */
export interface BoardOptions {
  /** The sensor's axes along the board's x, y and z. Default `+x +y +z`. */
  readonly mounting?: string;
  /** How far from its centre a pose in the plane is left, 46…89°. Default 60: a dead band of 30°. */
  readonly leaveAngle?: number;
  /** A face is entered below this inclination, 1…88°. Default 25. */
  readonly faceEnter?: number;
  /** A face is left above this inclination, up to 89°. Default 40. */
  readonly faceLeave?: number;
  /** How long a candidate must hold, 0…0.999 s. Default 0.04, with fusion 0.02. */
  readonly dwell?: number;
  /** Whether taps are reported. Default false. */
  readonly taps?: boolean;
  /** Whether falls are reported. Default false. */
  readonly freeFall?: boolean;
  /** Samples a second, 1…5000, if vibration is to be measured. */
  readonly vibrationRate?: number;
  /** How long the interface takes to rotate, 0…60 s. Default 0.3. */
  readonly rotationTime?: number;
  /** Where nothing scrolls: leaning back 30° (`published`, the default), or as the board is first held (`captured`). */
  readonly rest?: "published" | "captured";
}

export interface MonitorOptions extends BoardOptions {
  /** The filter that yields gravity. Default: fusion if the first sample has a rotation rate, otherwise low-pass. */
  readonly gravity?: "fusion" | "low-pass" | "adaptive";
  /** The unit of forces. Default `g`; `m/s^2` divides by 9.80665. */
  readonly forceUnit?: "g" | "m/s^2";
  /** The unit of rotation rates. Default `deg/s`. */
  readonly rotationUnit?: "deg/s" | "rad/s";
  /**
   * Whether the samples are those of a recording: times of events then count from the first sample, as in `plumb
   * replay`. Default false: they are the times that you give.
   */
  readonly recorded?: boolean;
  /**
   * Whether samples are suspected: equal ones for long, or hardly any force for longer than a board can fall, are a
   * fault. Default false.
   */
  readonly checks?: boolean;
}

/** What monitors, emulated boards and readers have in common. */
export interface Board {
  /** What is known now. Computed when asked for. */
  readonly snapshot: Snapshot;
  /** The last sample; null before the first, and while the sensor delivers none. Computed when asked for. */
  readonly reading: Reading | null;
  /** The vibration of the last whole second, with the fields of docs/output.md; null if none is measured. */
  readonly vibration: Readonly<Record<string, unknown>> | null;
  /** `snapshot.lines` without the rest, for each frame: the six LEDs, or the coded lines of a live board. */
  readonly lines: readonly (0 | 1)[];
}

export interface Monitor extends Board {
  /**
   * Takes in a sample of `time`, and returns what happened, in order; nothing is lost. A time before that of the last
   * sample is allowed, and counts as a gap.
   *
   * @param force the specific force of a sensor, gravity included: at rest +1 g upwards. Three numbers.
   * @param rotation the rotation rate, counter-clockwise when the axis points at you. Three numbers.
   * @throws TypeError for what is not a number; RangeError for NaN, infinities, forces beyond ±32,767 g, rotation rates
   *     beyond ±4,000 °/s and times beyond ±10¹² s. A sample that is refused changes nothing.
   */
  sample(time: number, force: readonly number[], rotation?: readonly number[] | null): PlumbEvent[];
  /** It is `time`, and no sample has come: a pose becomes `stale`, an interface turns, LEDs blink. Call it each frame. */
  pass(time: number): PlumbEvent[];
  /** The sensor delivers nothing, for this reason; the next sample ends the trouble. */
  fault(time: number, cause: BusFault): PlumbEvent[];
  /** Makes the attitude with this direction of up the one in which angles are 0; null for the board's own. */
  tare(up: Vector | null): void;
  /** Scrolls to a position, 0…1, and stops there. */
  scrollTo(x: number, y: number): void;
}

/** A unit quaternion: the board's attitude in a room in which z is up; [1, 0, 0, 0] lies face up. */
export type Quaternion = readonly [w: number, x: number, y: number, z: number];

/**
 * A board that exists in memory alone: an MPU-6050 as registers on a bus, read by Plumb's driver in Plumb's loop. It has
 * a time of its own, which begins at 0 and goes on in `advance`.
 */
export interface EmulatedBoard extends Board {
  /** The time up to which it has been advanced. */
  readonly time: number;
  /** How it is really held; the sensor sees it with noise. Set it to jump. */
  attitude: Quaternion;
  /** How fast it turns about its own axes, °/s; it turns on until this is set again. At first [0, 0, 0]. */
  rotation: Vector;
  /** Force beside that of gravity, as from a hand that shakes it, in g along its own axes. At first [0, 0, 0]. */
  push: Vector;
  /** The standard deviation of the noise: g of each axis of force, 0…1. At first 0.004. */
  noise: number;
  /** The same of rotation, °/s, 0…100. At first 0.05. */
  rotationNoise: number;
  /** What each transaction on the bus reports; null if the bus works. */
  fault: BusFault | null;
  /** What the sensor's bias of rotation is, °/s, within ±40. At first [0, 0, 0]. */
  bias: Vector;
  /** Turns it into a pose, the shortest way, within `seconds` (default 0.3), beginning at `time`. */
  turnTo(pose: PoseName, seconds?: number): void;
  /** The sensor loses its power for a moment: its registers are as after a reset. */
  brownOut(): void;
  /** Makes the attitude with this direction of up the one in which angles are 0; null for the board's own. */
  tare(up: Vector | null): void;
  /** Lets `seconds` pass, at most 3,600 at a time, with all samples of them, and returns what happened. */
  advance(seconds: number): PlumbEvent[];
}

/** What a line of a stream says besides events: see docs/stream.md for the fields. */
export interface StreamMessage {
  readonly event:
    | EventName | "hello" | "sample" | "counters" | "vibration" | "raw" | "reading" | "board" | "missed" | "error"
    | "done" | "bye" | "refused";
  readonly [field: string]: unknown;
}

/**
 * Reads the lines of docs/stream.md, as a board on a serial line sends them. Until the first whole `hello` it discards
 * what comes, because a serial line begins in the middle of something; `hello` says what to send to get one.
 */
export interface StreamReader extends Board {
  /** Whether a hello has come since the beginning, or since the last `refused`: only then is anything known. */
  readonly isKnown: boolean;
  /** What to send first: ends a line that another client has left, asks for no samples, and for a hello. */
  readonly request: string;
  /**
   * Takes in bytes as they come, of any length, and returns what whole lines say, in order. Kinds that are not known are
   * left out.
   *
   * A line that is no JSON, too long or incomplete gives `refused` with `detail`, and from then on nothing is known
   * until the next hello, because a pose may have been in it. Memory stays the same whatever comes.
   */
  push(bytes: Uint8Array): StreamMessage[];
  /** The connection is lost: nothing that came before holds any more. */
  forget(): void;
}

/**
 * How to draw a board: its attitude from `up` and `heading_deg`, or from `gravity` alone (heading 0), as a quaternion in
 * a room in which z is up. Null without a direction, in free fall.
 */
export function attitudeOf(reading: Reading): Quaternion | null;
