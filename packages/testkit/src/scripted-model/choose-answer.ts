/**
 * Which step answers a request. A request belongs to the first session it matches, otherwise to the scenario's own steps;
 * there the first step that matches and is not used up answers it. Requests that an agent makes for itself go to steps
 * only when those ask for them (`background: true`), otherwise to the scenario's `background` answer.
 *
 * - `scriptOf(scenario)` keeps the counts; `choose(request)` counts and decides; `unused()` names the steps never used.
 */
import type { ModelRequest } from "./model-request.ts";
import {
  type Answer,
  capturedIn,
  matchesText,
  type Scenario,
  type ScenarioMatch,
  type ScenarioStep,
  withCaptures,
} from "./scenario.ts";

interface Choice {
  readonly session: string;
  /** Which request of its session this is, from 1; background requests are not counted. */
  readonly nth: number;
  /** The step's name or `step 2`; `background` and `otherwise`; undefined when nothing fits. */
  readonly step: string | undefined;
  readonly answer: Answer | undefined;
}

export interface Script {
  choose(request: ModelRequest): Choice;
  unused(): string[];
}

interface Lane {
  readonly name: string;
  readonly steps: readonly { readonly label: string; readonly step: ScenarioStep; used: number }[];
  count: number;
}

export const mainSession = "main";

export function scriptOf(scenario: Scenario): Script {
  const lanes = new Map<string, Lane>();
  const planned = [{ name: mainSession, steps: scenario.steps }, ...scenario.sessions];

  const laneOf = (request: ModelRequest): Lane => {
    const found = scenario.sessions.find(({ when }) => fitsSession(when, request));
    const { name, steps, each } = found ?? { name: mainSession, steps: scenario.steps, each: scenario.each };
    const one = each === "key" ? request.apiKey : request.conversation || request.apiKey;
    const key = each ? `${name} (${one})` : name;
    const known = lanes.get(key);
    if (known) return known;
    const made = {
      name: key,
      count: 0,
      steps: steps.map((step, index) => ({ label: labelOf(step, index), step, used: 0 })),
    };
    lanes.set(key, made);
    return made;
  };

  return {
    choose(request) {
      const lane = laneOf(request);
      if (!request.isBackground) lane.count += 1;
      const nth = lane.count;
      const taken = lane.steps.find(({ step, used }) => used < step.times && fits(step.match ?? {}, request, nth));
      if (taken) taken.used += 1;
      const [step, answer] = taken
        ? [taken.label, withCaptures(taken.step.answer, captures(taken.step, request))]
        : request.isBackground
          ? ["background", scenario.background ?? quiet]
          : [scenario.otherwise ? "otherwise" : undefined, scenario.otherwise];
      return { session: lane.name, nth, step, answer };
    },
    unused() {
      const opened = [...lanes.values()].flatMap((lane) =>
        lane.steps.filter(({ used }) => used === 0).map(({ label }) => `${lane.name}: ${label}`),
      );
      const neverOpened = planned
        .filter(({ name }) => ![...lanes.keys()].some((key) => key === name || key.startsWith(`${name} (`)))
        .flatMap(({ name, steps }) => steps.map((step, index) => `${name}: ${labelOf(step, index)}`));
      return [...opened, ...neverOpened];
    },
  };
}

/** The answer to an agent's own requests when the scenario has none. */
const quiet: Answer = { text: [{ text: "ok" }] };

function fits(match: ScenarioMatch, request: ModelRequest, nth: number): boolean {
  const { protocol, model, system, userText, toolResult, toolResultText, apiKey } = match;
  return (
    (match.background ?? false) === request.isBackground &&
    (protocol === undefined || protocol === request.protocol) &&
    (model === undefined || matchesText(model, request.model)) &&
    (system === undefined || matchesText(system, request.system)) &&
    (userText === undefined || matchesText(userText, request.lastUserText)) &&
    (match.nth === undefined || match.nth === nth) &&
    (toolResult === undefined || toolResult === request.toolResults.length > 0) &&
    (toolResultText === undefined || request.toolResults.some(({ text }) => matchesText(toolResultText, text))) &&
    (apiKey === undefined || apiKey === request.apiKey)
  );
}

function fitsSession(when: Scenario["sessions"][number]["when"], request: ModelRequest): boolean {
  return (
    (when.apiKey === undefined || when.apiKey === request.apiKey) &&
    (when.system === undefined || matchesText(when.system, request.system)) &&
    (when.firstUserText === undefined || matchesText(when.firstUserText, request.firstUserText))
  );
}

const captures = ({ match }: ScenarioStep, { lastUserText }: ModelRequest) =>
  match?.userText ? capturedIn(match.userText, lastUserText) : {};

const labelOf = (step: ScenarioStep, index: number): string => step.name ?? `step ${index + 1}`;
