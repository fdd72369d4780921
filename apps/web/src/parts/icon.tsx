/** The app's icons: 16 px, one stroke width, hidden from screen readers. */
const paths = {
  home: "M2.5 7.5 8 3l5.5 4.5V13h-4V9.5h-3V13h-4z",
  runs: "M4.5 3v10l8-5z",
  approvals: "M8 2.5 13 4v4c0 3-2 4.8-5 5.5C5 12.8 3 11 3 8V4zM5.8 8l1.6 1.6L10.4 6.6",
  evals: "M3 13V8m3.5 5V3M10 13V6m3.5 7V9.5",
  brain:
    "M4 4.5a1.5 1.5 0 1 0 0-.01M12 4.5a1.5 1.5 0 1 0 0-.01M8 12.5a1.5 1.5 0 1 0 0-.01M5.5 4.5h3M4.8 6l2 4.5M11.2 6l-2 4.5",
  team: "M6 7.5a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM2 13c0-2.2 1.8-3.5 4-3.5s4 1.3 4 3.5M10.5 3.2a2.25 2.25 0 0 1 0 4.1M11.5 9.7c1.5.4 2.5 1.6 2.5 3.3",
  browse: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2.2 8h11.6M8 2c-3.5 3.5-3.5 8.5 0 12M8 2c3.5 3.5 3.5 8.5 0 12",
  settings:
    "M2.5 5h5m4 0h2m-11 6h2m4 0h5M9.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM6.5 12.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 13.5 13.5",
  copy: "M5.5 5.5h7v7h-7zM10.5 5.5v-2h-7v7h2",
  check: "M3 8.5 6.5 12 13 4.5",
  circle: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11z",
  dot: "M8 8.5a.5.5 0 1 0 0-1 .5.5 0 0 0 0 1z",
  warning: "M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  stop: "M4 4h8v8H4z",
  skip: "M4 8h8",
  close: "M4 4l8 8M12 4l-8 8",
  up: "M8 12.5v-9M4.5 7 8 3.5 11.5 7",
  down: "M8 3.5v9M4.5 9 8 12.5 11.5 9",
} as const;
export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" className="shrink-0">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
