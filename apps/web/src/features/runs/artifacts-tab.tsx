import type { RunDetail } from "@devflow/protocol";
import { Link, useSearch } from "@tanstack/react-router";
import { Icon } from "../../parts/icon.tsx";
import { EmptyNote } from "../../parts/states.tsx";
import { ArtifactView } from "./artifact-view.tsx";

export function ArtifactsTab({ run }: { run: RunDetail }) {
  const { artifact: wanted } = useSearch({ from: "/runs/$id" });
  const chosen = run.artifacts.find((each) => each.id === wanted) ?? run.artifacts.at(-1);
  if (!chosen) return <EmptyNote title="No artifacts yet">Each phase that an agent works on produces one.</EmptyNote>;
  return (
    <div className="grid min-w-0 broad:grid-cols-[260px_minmax(0,1fr)]">
      <nav
        aria-label="Artifacts"
        className="max-h-60 overflow-y-auto border-line max-broad:border-b broad:max-h-none broad:border-r"
      >
        {run.artifacts.map((artifact) => (
          <Link
            key={artifact.id}
            from="/runs/$id"
            to="/runs/$id"
            search={(now) => ({ ...now, artifact: artifact.id })}
            replace
            resetScroll={false}
            data-row
            aria-current={artifact.id === chosen.id ? "true" : undefined}
            className={`grid px-4 py-2 outline-offset-[-2px] hover:bg-hover ${artifact.id === chosen.id ? "bg-hover" : ""}`}
          >
            <span className="font-medium break-all">{artifact.name}</span>
            <span className="flex items-center justify-between gap-3 text-meta text-ink-soft">
              <span>
                {artifact.phase ?? "run"} · attempt {artifact.attempt}
              </span>
              <span className={`inline-flex items-center gap-1 ${artifact.valid ? "text-good" : "text-bad"}`}>
                <Icon name={artifact.valid ? "check" : "close"} />
                {artifact.valid ? "Valid" : "Invalid"}
              </span>
            </span>
          </Link>
        ))}
      </nav>
      <ArtifactView key={chosen.id} run={run} artifact={chosen} />
    </div>
  );
}
