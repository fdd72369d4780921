export { hostNames, hosts, skillsFolder } from "./hosts.ts";
export { type InstallResult, installOutcomes, installSkills, readSkills, removeSkills } from "./install.ts";
export { usageCounts } from "./usage-log.ts";
