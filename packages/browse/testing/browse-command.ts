/**
 * `devflow browse` as a process, in a workspace and a home of its own.
 *
 * - `browseCommand({ home, workspace })` `browse(…words)` gives how it ended, `ok(…words)` what it printed; a failure is thrown.
 */
import { devflowCommand, type ProcessResult, runProcess, type TemporaryHome } from "@devflow/testkit";

export interface BrowseCommand {
  browse(...words: string[]): Promise<ProcessResult>;
  ok(...words: string[]): Promise<string>;
}

export function browseCommand({ home, workspace }: { home: TemporaryHome; workspace: string }): BrowseCommand {
  const browse = (...words: string[]) =>
    runProcess([...devflowCommand(), "browse", ...words], {
      env: home.environment(),
      cwd: workspace,
      timeoutMs: 120_000,
    });
  return {
    browse,
    async ok(...words) {
      const { code, stdout, stderr } = await browse(...words);
      if (code !== 0) throw new Error(`browse ${words.join(" ")}: ${stderr}${stdout}`);
      return stdout;
    },
  };
}
