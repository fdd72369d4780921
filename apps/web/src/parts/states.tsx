/** The three views every list has besides its rows: loading, empty and failed. */
import type { ReactNode } from "react";
import { useIsTeamServer } from "../app-context.tsx";
import { ApiFault, nextOf } from "../model/api-fault.ts";
import { CopyCommand } from "./copy-command.tsx";

/** As high as the rows they stand in for, so that nothing moves when the rows load. */
const heights = { row: "h-12", tall: "h-16", table: "h-10", fact: "h-9", step: "h-16 wide:h-12" } as const;

export function SkeletonRows({ count, height = "row" }: { count: number; height?: keyof typeof heights }) {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-line">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <div key={index} className={`flex items-center gap-4 px-4 ${heights[height]}`}>
          <div className="pulse h-3 w-1/4 rounded-small bg-hover" />
          <div className="pulse h-3 w-1/2 rounded-small bg-hover" />
        </div>
      ))}
    </div>
  );
}

export function EmptyNote({
  title,
  children,
  command,
}: {
  title: string;
  children?: ReactNode;
  command?: string | undefined;
}) {
  return (
    <div className="px-4 py-8 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <p className="mx-auto mt-1 max-w-[56ch] text-ink-soft">{children}</p>}
      {command !== undefined && (
        <div className="mt-4 flex justify-center">
          <CopyCommand command={command} />
        </div>
      )}
    </div>
  );
}

export function FaultNote({ fault, onRetry }: { fault: Error; onRetry?: () => void }) {
  const isTeamServer = useIsTeamServer();
  const next = fault instanceof ApiFault ? nextOf(fault, isTeamServer) : "";
  const isCommand = next.startsWith("devflow ");
  return (
    <div role="alert" className="flex flex-col items-start gap-3 bg-bad-soft px-4 py-4">
      <p className="break-words">
        <span className="font-medium text-bad">Failed. </span>
        {fault.message} {!isCommand && next}
      </p>
      <div className="flex flex-wrap gap-2">
        {isCommand && <CopyCommand command={next} />}
        {onRetry && (
          <button
            type="button"
            onClick={onRetry}
            className="h-8 rounded-small border border-line bg-raised px-3 hover:bg-hover"
          >
            Try again
          </button>
        )}
      </div>
    </div>
  );
}
