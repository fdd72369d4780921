export { type AuditedRule, type AuditSeverity, auditCommand } from "./audit-command.ts";
export { runGuarded } from "./run-guarded.ts";
export { secretValues } from "./secret-values.ts";
