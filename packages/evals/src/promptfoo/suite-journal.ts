/**
 * Lets a suite that was killed or stopped go on: what was answered is on disk, and is not asked for again.
 *
 * - `openSuiteRun(home, facts)` the unfinished run of this suite, or a new one; `remember` wraps a provider, of tests or of judges.
 *
 * An answer is kept under everything that it depends on: the provider with its settings, the prompt, the variables, and which
 * time the same was asked. So a test that was changed is asked again, the others are not, and each of several repeats has an
 * answer of its own. Assertions are checked again: they may have changed. A call that failed is made again.
 */
import { hash } from "@devflow/core/hash";
import { uuidv7 } from "@devflow/core/ids";
import type { Provider } from "../providers/provider.ts";
import { type Journal, openRun } from "../runner/index.ts";
import type { SuiteColumn } from "./plan-suite.ts";

export type RememberAnswers = (provider: Provider, settings: Readonly<Record<string, unknown>>) => Provider;

export interface SuiteRunFacts {
  readonly suite: string;
  readonly tier: string;
  readonly label: string;
  readonly gitSha: string | null;
  readonly columns: readonly SuiteColumn[];
  /** Forget an unfinished run, and start again. */
  readonly fresh: boolean;
  readonly nowMs: number;
}

export interface SuiteRunJournal {
  readonly runId: string;
  /** When the run started. */
  readonly at: string;
  readonly path: string;
  /** Undefined if the run is new. */
  readonly resumed: { readonly answers: number } | undefined;
  readonly remember: RememberAnswers;
  /** Call one of them at the end: the run is stored and cannot go on; or it can. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

export async function openSuiteRun(home: string, facts: SuiteRunFacts): Promise<SuiteRunJournal> {
  const { suite, tier, label, gitSha, columns, fresh, nowMs } = facts;
  const cells = columns.map(({ provider, prompt }) => ["promptfoo", provider.id, provider.label ?? null, prompt.raw]);
  const run = await openRun(
    home,
    { suite, tier, label, gitSha, cells },
    { fresh, newHead: () => ({ version: 1, matrix: uuidv7(nowMs), at: new Date(nowMs).toISOString(), runIds: {} }) },
  );
  const { journal } = run;
  const { head, answers } = journal.facts;
  return {
    runId: head.matrix,
    at: head.at,
    path: journal.path,
    resumed: run.isResumed ? { answers: answers.size } : undefined,
    remember: rememberAnswers(journal),
    async forget() {
      await journal.close();
      await run.remove();
    },
    async close() {
      await journal.close();
      run.release();
    },
  };
}

function rememberAnswers(journal: Journal): RememberAnswers {
  const asked = new Map<string, number>();
  return (provider, settings) => ({
    ...provider,
    async call(request) {
      const question = hash([provider.id, settings, request.prompt, request.vars]);
      const time = asked.get(question) ?? 0;
      asked.set(question, time + 1);
      const key = `${question} ${time}`;
      const known = journal.facts.answers.get(key);
      if (known) return known.answer;
      const answer = await provider.call(request);
      await journal.append({ answered: key, answer, usd: answer.costUsd ?? null });
      return answer;
    },
  });
}
