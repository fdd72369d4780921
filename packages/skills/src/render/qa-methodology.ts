/** How /qa and /qa-only test. Shared, so that both find the same things. */
export const qaMethodology = `### How to test
1. Scope. On a feature branch with no URL given: read the diff, list the pages and flows it touches, test those. With a URL: the whole app, \`--quick\` means the home page and five flows.
2. Record: \`devflow browse evidence start\`. From here every command is evidence; work in the browser only.
3. Look before acting: \`devflow browse goto <url>\`, then \`devflow browse snapshot -i\`. Act by refs. Read each receipt: \`no observable effect\` on something clickable is a finding.
4. On every page: \`devflow browse console\`, \`devflow browse network\` (failed requests), \`devflow browse accessibility\`, \`devflow browse vitals\`, then widths with \`devflow browse responsive\`.
5. In every flow: the happy path; empty, long and odd input; back and reload midway; double click; the same with the keyboard only.
6. A finding needs proof: repeat it once, take \`devflow browse screenshot <file>\` before and after, note the shortest steps.
7. End: \`devflow browse evidence stop\`.

### Findings
Write \`findings.json\`: \`[{"title", "severity": "critical|high|medium|low", "category": "console|links|visual|functional|ux|performance|content|accessibility", "url", "steps": [], "expected", "actual", "screenshots": []}]\`. Severity: critical loses data or blocks the main flow; high breaks a flow; medium hurts it; low is polish.
Then \`devflow qa report --findings findings.json\`: it writes the report, health score and difference from the baseline to \`.devflow/qa-reports/\`.`;
