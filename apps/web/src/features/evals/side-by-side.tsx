/** Two results of a case side by side: outputs with their differences, failures, scores and judges' reasons. */
import type { EvalOutputs, EvalResultDetail, EvalText } from "@devflow/protocol";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Place } from "../../model/evals/eval-search.ts";
import { milliseconds, score, shortSha, signed, statusWord } from "../../model/evals/eval-words.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/page.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { FaultNote } from "../../parts/states.tsx";
import { LabelForm } from "./label-form.tsx";

export function SideBySide({
  a,
  b,
  outputs,
}: {
  a: Place | undefined;
  b: Place | undefined;
  outputs: UseQueryResult<EvalOutputs>;
}) {
  // A case with one result is compared with itself and shown alone.
  const isAlone = a === undefined || (a.run === b?.run && a.ordinal === b.ordinal);
  const [isWhole, setWhole] = useState(false);
  return (
    <Panel
      title={isAlone ? "Result" : "Side by side"}
      aside={
        !isAlone && <Button onClick={() => setWhole(!isWhole)}>{isWhole ? "Show changes" : "Hide changes"}</Button>
      }
    >
      {outputs.error && <FaultNote fault={outputs.error} onRetry={() => void outputs.refetch()} />}
      {outputs.data && (
        <div
          className={`grid ${isAlone ? "" : "divide-y divide-line broad:grid-cols-2 broad:divide-x broad:divide-y-0"}`}
        >
          {!isAlone && (
            <Side name="A" of={outputs.data.a} other={outputs.data.b} changes={isWhole ? null : outputs.data.changes} />
          )}
          <Side
            name={isAlone ? "" : "B"}
            of={outputs.data.b}
            other={outputs.data.a}
            changes={isWhole || isAlone ? null : outputs.data.changes}
          />
        </div>
      )}
      {outputs.data && b && <LabelForm key={`${b.ordinal}@${b.run}`} place={b} />}
    </Panel>
  );
}

function Side(props: {
  name: "A" | "B" | "";
  of: EvalResultDetail;
  other: EvalResultDetail;
  changes: EvalOutputs["changes"];
}) {
  const { name, of, other, changes } = props;
  return (
    <section aria-label={name ? `Side ${name}` : "Result"} className="grid min-w-0 content-start gap-4 p-4">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {name && <span className="grid size-6 place-items-center rounded-small bg-sunken font-semibold">{name}</span>}
        <StateWord {...statusWord(of.status)} />
        <Link
          to="/evals/runs/$ref"
          params={{ ref: of.run.ref }}
          className="font-mono text-meta text-accent underline underline-offset-2"
        >
          {shortSha(of.run.gitSha)} · {of.run.runId}
        </Link>
        <span className="text-ink-soft tabular-nums">{milliseconds(of.durationMs)}</span>
      </header>
      {of.error && (
        <Part title="Error">
          <Text of={of.error} />
        </Part>
      )}
      <Part title="Output">
        {of.output === null ? (
          <p className="text-ink-soft">Not stored.</p>
        ) : changes === null ? (
          <Text of={of.output} />
        ) : (
          <Changed changes={changes} side={name === "A" ? "removed" : "added"} isCut={of.output.isCut} />
        )}
      </Part>
      {of.failures.length > 0 && (
        <Part title="Failures">
          <ul className="grid gap-2">
            {of.failures.map((failure, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: failures are identified by their position
              <li key={at} className="rounded-small bg-bad-soft px-3 py-2">
                <p className="break-words">{failure.message}</p>
                {(failure.expected ?? failure.actual) && (
                  <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-meta">
                    <dt className="text-ink-soft">expected</dt>
                    <dd className="font-mono break-words whitespace-pre-wrap">{failure.expected?.text ?? "–"}</dd>
                    <dt className="text-ink-soft">got</dt>
                    <dd className="font-mono break-words whitespace-pre-wrap">{failure.actual?.text ?? "–"}</dd>
                  </dl>
                )}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {of.assertions.length > 0 && (
        <Part title="Assertions">
          <ul className="grid gap-1">
            {of.assertions.map((one, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: assertions are identified by their position
              <li key={at} className="min-w-0 break-words">
                <span className={one.passed ? "text-good" : "text-bad"}>{one.passed ? "pass" : "fail"}</span>{" "}
                <span className="font-mono text-meta">{one.type}</span>
                {one.criterion && ` (${one.criterion})`}
                {one.score !== null && <span className="text-ink-soft tabular-nums"> {score(one.score)}</span>}
                {one.reason && <span className="block text-meta text-ink-soft">{one.reason}</span>}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {Object.keys(of.scores).length > 0 && (
        <Part title="Scores">
          <Scores of={of} other={name === "B" ? other : undefined} />
        </Part>
      )}
      {of.votes.length > 0 && (
        <Part title="Judges">
          <ul className="grid gap-2">
            {of.votes.map((vote, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: one judge may vote twice
              <li key={at} className="min-w-0">
                <p className="font-medium">
                  {vote.model}{" "}
                  <span className="font-normal text-ink-soft tabular-nums">
                    {Object.entries(vote.scores)
                      .map(([criterion, value]) => `${criterion} ${score(value)}`)
                      .join(", ")}
                  </span>
                </p>
                {Object.entries(vote.reasons).map(([criterion, reason]) => (
                  <p key={criterion} className="break-words text-ink-soft">
                    {criterion}: {reason}
                  </p>
                ))}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {of.rest && (
        <Part title="Rest of the output">
          <Text of={of.rest} />
        </Part>
      )}
      {of.input && (
        <Part title="Input">
          <Text of={of.input} />
        </Part>
      )}
    </section>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-meta text-ink-soft">{title}</h3>
      {children}
    </div>
  );
}

const box = "max-h-96 overflow-auto rounded-small border border-line bg-sunken p-3 break-words whitespace-pre-wrap";

function Text({ of }: { of: EvalText }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0} className={`${box} font-sans`}>
        {of.text}
      </pre>
      {of.isCut && <p className="mt-1 text-meta text-ink-soft">Showing only the beginning.</p>}
    </>
  );
}

/** One side of a word diff. Changed words are marked by colour and by `del` or `ins`, which screen readers announce. */
function Changed(props: { changes: NonNullable<EvalOutputs["changes"]>; side: "removed" | "added"; isCut: boolean }) {
  const shown = props.changes.filter(({ kind }) => kind === "same" || kind === props.side);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <div tabIndex={0} className={box}>
        {shown.map(({ kind, text }, at) =>
          kind === "same" ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their position
            <span key={at}>{text}</span>
          ) : kind === "removed" ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <del key={at} className="bg-bad-soft text-bad decoration-1">
              {text}
            </del>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <ins key={at} className="bg-good-soft text-good no-underline">
              {text}
            </ins>
          ),
        )}
      </div>
      {props.isCut && <p className="mt-1 text-meta text-ink-soft">Showing only the beginning.</p>}
    </>
  );
}

function Scores({ of, other }: { of: EvalResultDetail; other: EvalResultDetail | undefined }) {
  return (
    <dl className="grid grid-cols-[minmax(0,1fr)_auto_auto] gap-x-4 gap-y-1">
      {Object.entries(of.scores).map(([criterion, value]) => {
        const before = other?.scores[criterion];
        return (
          <div key={criterion} className="contents">
            <dt className="truncate text-ink-soft">{criterion}</dt>
            <dd className="text-right font-medium tabular-nums">{score(value)}</dd>
            <dd className="w-14 text-right text-ink-soft tabular-nums">
              {before === undefined ? "" : signed(value - before, 2)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
