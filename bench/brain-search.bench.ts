import { defineBenchmark, type Goal } from "./benchmark.ts";
import { makeCorpus, makeQuestions } from "./brain/corpus.ts";
import { fillDecisions } from "./brain/fill-brain.ts";
import { filledBrain, madeRepo } from "./brain/filled-brain.ts";

const search = "search_decisions";
const ilike = "ILIKE on title and text, as a definer";
const goal: Goal = {
  text: "at most 50 ms at 100,000 decisions",
  judge: (of) => ({ figure: `${of(search).median.toFixed(1)} ms`, met: of(search).median <= 50 }),
};

export default defineBenchmark({
  name: "brain-search",
  what: "A question to 100,000 decisions: ranked, explained, and only what holds.",
  unit: "ms",
  rounds: 60,
  warmUp: 6,
  goals: [goal],
  prepare: async ({ say }) => {
    say("making 100,000 decisions");
    const corpus = makeCorpus(100_000);
    const brain = await filledBrain((sql, of) => fillDecisions(sql, of, corpus));
    const questions = makeQuestions(corpus.slice(0, 4_000), 60);
    let [asked, liked] = [0, 0];
    const questionAt = (n: number) => questions[n % questions.length];
    return {
      contenders: [
        {
          name: search,
          sample: async () => {
            const one = questionAt(asked++);
            const args = [one?.text, madeRepo, one?.file ? [one.file] : null];
            return [await brain.ask("select * from api.search_decisions($1, $2, $3, $4)", args)];
          },
        },
        {
          name: ilike,
          sample: async () => {
            const text = `%${questionAt(liked++)?.text ?? ""}%`;
            const statement =
              "select d.id from app.decisions d where d.team_id = $1 and (d.title ilike $2 or d.body ilike $2) limit 5";
            return [await brain.ask(statement, [text])];
          },
        },
      ],
      finish: brain.close,
    };
  },
});
