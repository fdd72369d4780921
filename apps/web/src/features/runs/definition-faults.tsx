/** Template and persona files of the server's home that are not valid. What was stored before stays in force. */
import { useQuery } from "@tanstack/react-query";
import { useServices } from "../../app-context.tsx";

export function DefinitionFaults() {
  const { api } = useServices();
  const faults = useQuery({
    queryKey: ["definition-faults"],
    queryFn: ({ signal }) => api.runs.definitionFaults(signal),
  });
  if (!faults.data || faults.data.length === 0) return null;
  return (
    <section
      role="alert"
      aria-label="Files that are ignored"
      className="min-w-0 rounded-panel border border-line-strong bg-bad-soft px-4 py-3"
    >
      <h2 className="text-body">
        <span className="font-medium text-bad">
          {faults.data.length === 1 ? "A file is not valid" : `${faults.data.length} files are not valid`}
        </span>{" "}
        and ignored. What was stored before stays in force.
      </h2>
      {faults.data.map(({ file, problem }) => (
        <pre key={file} className="mt-1 font-mono text-meta break-all whitespace-pre-wrap">
          {problem}
        </pre>
      ))}
    </section>
  );
}
