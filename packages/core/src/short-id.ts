/**
 * The short form of an id, the same in the terminal, the web app and the names of branches: its last eight characters. Its
 * beginning is the time, which everything of one afternoon shares.
 */
export const shortId = (id: string): string => id.slice(-8);
