// The poses by number: names, words, short words and letters. Tests/Programs/Views compares them with those in Swift.
const POSES = {
  names: ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"],
  words: ["portrait", "portrait, upside down", "landscape, left edge down", "landscape, right edge down", "face up", "face down"],
  short: ["portrait", "upside down", "left down", "right down", "face up", "face down"],
  letters: ["P", "U", "L", "R", "F", "D"],
};
