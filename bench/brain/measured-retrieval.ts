/** `retrievalOn(decisions, questions)`: the figures of the retrieval table, on a database of its own. */
import { uuidv7 } from "@devflow/core/ids";
import { connectAsAdmin } from "@devflow/db";
import { testDatabase } from "@devflow/testkit";
import { makeCorpus, makeQuestions } from "./corpus.ts";
import { fillDecisions } from "./fill-brain.ts";
import { measureRetrieval, type RetrievalRow } from "./retrieval.ts";

export async function retrievalOn(decisions: number, questions: number): Promise<RetrievalRow[]> {
  const { database, target, name, close } = await testDatabase();
  const sql = connectAsAdmin(target, name);
  try {
    const user = uuidv7<"user">();
    await database.asEngine((tx) => tx`select app.ensure_user(${user}, 'Ada')`);
    const as = { sub: user, role: "authenticated" } as const;
    const [team] = await database.withClaims(as, (tx) => tx<{ id: string }[]>`select id from api.create_team('Made')`);
    const of = { team: team?.id ?? "", user, repo: uuidv7<"repo">() };
    await sql`insert into app.repos (id, team_id, name, canonical) values (${of.repo}, ${of.team}, 'made', 'github.com/made/made')`;
    const corpus = makeCorpus(decisions);
    await fillDecisions(sql, of, corpus);
    return await measureRetrieval(
      async ({ text, file }) => {
        const rows = await database.withClaims(
          as,
          (tx) => tx<{ found: { id: string } }[]>`
          select f as found from api.search_decisions(${of.team}, ${text}, 'github.com/made/made', ${file ? [file] : null}, max_rows => 5) f`,
        );
        return rows.map(({ found }) => found.id);
      },
      corpus,
      makeQuestions(corpus, questions),
    );
  } finally {
    await sql.end();
    await close();
  }
}
