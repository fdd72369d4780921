/** The door of the journal: entries in a hash chain. Whoever only reads evidence needs no browser, and loads none. */
export * from "./entry.ts";
export { checkJournal, type Journal, openJournal } from "./journal.ts";
