/** How to start this program again: the compiled executable, or Bun on the source. */
export function selfArgv(): readonly string[] {
  return isCompiled() ? [process.execPath] : [process.execPath, "--no-env-file", Bun.main];
}

export function isCompiled(): boolean {
  return Bun.main.startsWith("/$bunfs/");
}
