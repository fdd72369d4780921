/** Downloads a run in a format of choice. The request carries the token, so the file is fetched before it is saved. */
import { type EvalExport, evalExports } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { saveFile } from "../../parts/save-file.ts";

const titles: Record<EvalExport, string> = {
  csv: "CSV",
  jsonl: "JSON lines",
  junit: "JUnit XML",
  promptfoo: "promptfoo JSON",
  inspect: "Inspect log",
  otlp: "OpenTelemetry",
  markdown: "Markdown",
};
const endings: Record<EvalExport, string> = {
  csv: "csv",
  jsonl: "jsonl",
  junit: "xml",
  promptfoo: "json",
  inspect: "json",
  otlp: "json",
  markdown: "md",
};

export function Download({ run }: { run: string }) {
  const { evals } = useServices().api;
  const [state, setState] = useState<"idle" | "busy" | "failed">("idle");
  const save = async (as: EvalExport) => {
    setState("busy");
    try {
      saveFile(`${run.replace(/[^\w.-]+/g, "_")}.${endings[as]}`, await evals.exported(run, as));
      setState("idle");
    } catch {
      setState("failed");
    }
  };
  return (
    <select
      aria-label="Download"
      value=""
      disabled={state === "busy"}
      onChange={(event) => event.target.value && void save(event.target.value as EvalExport)}
      className="h-8 rounded-small border border-line-strong bg-raised px-2 font-medium"
    >
      <option value="">
        {state === "busy" ? "Downloading…" : state === "failed" ? "Download failed" : "Download"}
      </option>
      {evalExports.map((as) => (
        <option key={as} value={as}>
          {titles[as]}
        </option>
      ))}
    </select>
  );
}
