export { renderSkills, skillFaults } from "./render.ts";
