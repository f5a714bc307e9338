import { load } from "./plumb.js";

const plumb = await load();
const board = await plumb.emulatedBoard();
const show = (events) => events.forEach(({ event, words }) => console.log(event.padEnd(8), words));

show(board.advance(1));
board.turnTo("faceUp");
show(board.advance(1));
board.fault = "noAcknowledge";
show(board.advance(1));
board.fault = null;
show(board.advance(2));
