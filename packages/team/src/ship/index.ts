/** Entry point of ship. */
export { shipAtHead } from "./ship-at-head.ts";
export { readShips, type Ship, saveShip } from "./ship-files.ts";
