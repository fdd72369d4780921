/** Entry point of tasks: verbs of the app under test, learned from evidence. */
export { learn, learnFrom, task } from "./task-commands.ts";
