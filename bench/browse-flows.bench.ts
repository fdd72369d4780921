import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Contender, defineBenchmark, ratioGoal } from "./benchmark.ts";
import { type Driver, openDrivers } from "./browse/drivers.ts";
import { type FlowAgent, flowAgent } from "./browse/flow-agent.ts";
import { type FlowPages, serveFlows } from "./browse/flow-pages.ts";

type Flow = (agent: FlowAgent, driver: Driver, pages: FlowPages) => Promise<void>;

/** A combobox whose options arrive later, a toast, and one of two buttons of the same name. */
const app: Flow = async (agent, driver, pages) => {
  await agent.does(driver.goto(pages.url("/crm")));
  await agent.does(driver.click(await agent.ref("button", "New order")));
  await agent.does(driver.fill(await agent.ref("combobox", "Customer"), "Ini"));
  await agent.does(driver.click(await agent.ref("option", "Initech")));
  await agent.does(driver.click(await agent.ref("button", "Save order")));
  await agent.sees("Order for Initech saved");
};

const account: Flow = async (agent, driver, pages) => {
  await agent.does(driver.goto(pages.url("/login")));
  await agent.does(driver.fill(await agent.ref("textbox", "Mail"), "ada@example.com"));
  await agent.does(driver.fill(await agent.ref("textbox", "Password"), "correct horse"));
  await agent.does(driver.click(await agent.ref("button", "Log in")));
  await agent.does(driver.upload(await agent.ref("button", driver.fileField), "picture.png"));
  await agent.sees("Uploaded picture.png");
  await agent.does(driver.click(await agent.ref("button", "Connect calendar")));
  const opened = agent.commands.length;
  if (driver.popupTab) await agent.does(driver.popupTab);
  agent.forgets();
  await agent.does(driver.click(await agent.ref("button", "Allow")));
  if (driver.mainTab && opened < agent.commands.length) await agent.does(driver.mainTab);
  await agent.sees("Calendar connected.");
};

const checkout: Flow = async (agent, driver, pages) => {
  await agent.does(driver.goto(pages.url("/cart")));
  await agent.does(driver.click(await agent.ref("link", "Check out")));
  await agent.does(driver.fill(await agent.ref("textbox", "Card number"), "4242424242424242"));
  await agent.does(driver.fill(await agent.ref("textbox", "Valid until"), "12/30"));
  await agent.does(driver.click(await agent.ref("button", "Pay now")));
  await agent.sees("Order 4711 is paid.");
};

const flows: Readonly<Record<string, Flow>> = { "orders app": app, "log-in, upload, popup": account, checkout };
const peer = "agent-browser";
const titled = (flow: string, name: string) => `${flow}: ${name}`;

export default defineBenchmark({
  name: "browse-flows",
  what: "Three flows by an agent that knows only the skill text: an order in a single-page app with late options and a toast; a log-in with an upload and a popup; a checkout through redirects with the card in a frame of another origin. Bytes that the agent writes and reads. It looks at the page again only where the last answer does not show what it needs.",
  unit: "bytes",
  rounds: 1,
  warmUp: 0,
  goals: Object.keys(flows).map((flow) =>
    ratioGoal(`${flow}: fewer than ${peer}`, titled(flow, "devflow"), titled(flow, peer), 1),
  ),
  prepare: async (context) => {
    const pages = serveFlows();
    const drivers = (await openDrivers(context)).filter(({ name }) => name === "devflow" || name === peer);
    const contenders: Contender[] = [];
    for (const [flow, walk] of Object.entries(flows)) {
      for (const driver of drivers) {
        const sample = async () => {
          for (const words of driver.cold(pages.url("/cart"))) await driver.run(words);
          writeFileSync(join(driver.folder, "picture.png"), "not really a picture");
          const agent = flowAgent(driver);
          await walk(agent, driver, pages);
          const turns = agent.wrongTurns.length > 0 ? `; ${agent.wrongTurns.join("; ")}` : "";
          context.say(`${titled(flow, driver.name)}: ${agent.commands.length} commands, ${agent.bytes} bytes${turns}`);
          if (process.env.DEVFLOW_DEBUG === "1") for (const typed of agent.commands) context.say(`  ${typed}`);
          if (driver === drivers[0] && agent.wrongTurns.length > 0) throw new Error(`${flow}: a wrong turn${turns}`);
          return [agent.bytes];
        };
        contenders.push({ name: titled(flow, driver.name), sample });
      }
    }
    return {
      contenders,
      finish: async () => {
        for (const driver of drivers) await driver.end();
        pages.stop();
      },
    };
  },
});
