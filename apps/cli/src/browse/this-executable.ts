/** The program that runs: the compiled executable, or the main file of the source. */
export const thisExecutable = (): string => (Bun.main.startsWith("/$bunfs/") ? process.execPath : Bun.main);
