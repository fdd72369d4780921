/** Reads evalite's SQLite store as the evals of its JSON export; read-only, and only from real tables. */
import { DatabaseSync } from "node:sqlite";
import { refuse } from "../../results/refuse.ts";
import type { Reading } from "../importer.ts";
import type { EvaliteEval } from "./evalite.ts";

const tables = ["runs", "evals", "results", "scores", "traces"] as const;

export async function* evaliteTables(reading: Reading): AsyncGenerator<EvaliteEval> {
  const { source } = reading;
  const database = open(reading);
  try {
    requireTables(database, source.name);
    const results = database.prepare("select * from results where eval_id = ? order by col_order, id");
    const scores = database.prepare(
      "select name, score, description, metadata from scores where result_id = ? order by id",
    );
    const traces = database.prepare("select * from traces where result_id = ? order by col_order");
    const evals = database.prepare(
      "select e.*, r.runType as run_type, r.created_at as run_at from evals e join runs r on r.id = e.run_id order by e.run_id, e.id",
    );
    for (const row of evals.all()) {
      const records = results.all(row.id as number).map((result) => ({
        input: parsed(result.input),
        output: parsed(result.output),
        expected: parsed(result.expected),
        duration: result.duration,
        status: result.status ?? "success",
        trialIndex: result.trial_index,
        scores: scores.all(result.id as number).map((score) => ({ ...score, metadata: parsed(score.metadata) })),
        traces: traces.all(result.id as number).map((trace) => ({ ...trace })),
      }));
      yield {
        // SQLite's CURRENT_TIMESTAMP is UTC, without a zone.
        run: { id: row.run_id, runType: row.run_type, createdAt: `${String(row.run_at).replace(" ", "T")}Z` },
        eval: {
          name: row.name,
          filepath: row.filepath,
          duration: row.duration,
          variantName: row.variant_name,
          results: records,
        },
        notNumbers: 0,
      };
    }
  } catch (error) {
    if (error instanceof Error && (error as { code?: string }).code?.startsWith("ERR_SQLITE")) {
      throw refuse(
        `${source.name} cannot be read as evalite's store: ${error.message}.`,
        "Export it: evalite --outputPath results.json",
        error,
      );
    }
    throw error;
  } finally {
    database.close();
  }
}

function open({ source }: Reading): DatabaseSync {
  try {
    return new DatabaseSync(source.path, { readOnly: true });
  } catch (error) {
    throw refuse(`${source.name} is not a valid SQLite file.`, "Export it: evalite --outputPath results.json", error);
  }
}

/** A view of that name could run any query, even an endless one. */
function requireTables(database: DatabaseSync, name: string): void {
  const found = new Set(
    database
      .prepare("select name from sqlite_master where type = 'table'")
      .all()
      .map((row) => row.name),
  );
  const missing = tables.filter((table) => !found.has(table));
  if (missing.length === 0) return;
  throw refuse(
    `${name} is a SQLite file, but not evalite's: it has no table ${missing.join(", ")}.`,
    "Only evalite's SQLite files can be imported; export the results as JSON, JSONL or CSV.",
  );
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value ?? null;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
