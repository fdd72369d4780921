/** Entry point of the journal: entries in a hash chain. Code that only reads evidence loads no browser code. */
export * from "./entry.ts";
export { checkJournal, type Journal, openJournal } from "./journal.ts";
