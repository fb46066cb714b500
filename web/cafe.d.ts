/** An edge: two nodes, and its weight (1). Numbers and texts are different names. */
export type Edge = readonly [number | string, number | string] | readonly [number | string, number | string, number];

/** Options of the command of the same name: `outputForm: "walk"` is `--output-form walk`. `cafe COMMAND --help` lists them. */
export type Options = Record<string, string | number | boolean | undefined>;

export interface Communities {
  /** The names of the nodes: integers ascending, else by first appearance. */
  nodes: string[];
  /** The community of each node, from 0, the largest first. */
  communities: Int32Array;
  count: number;
  modularity: number;
  /** All figures of the run, as `--json` writes them. */
  report: Record<string, unknown>;
}

export interface Embedding {
  nodes: string[];
  columns: number;
  /** A row of `columns` numbers per node, one row after the other. */
  vectors: Float32Array;
  /** Within each residual of its Ritz value lies an eigenvalue of the modularity matrix. */
  ritzValues: number[];
  residuals: number[];
  report: Record<string, unknown>;
}

export interface Run {
  /** The exit code of the tool; 0: success. */
  code: number;
  /** What the tool prints: results, and messages. */
  text: string;
  messages: string;
  /** The outputs that were asked for and written. */
  files: Record<string, Uint8Array>;
}

export interface RunOptions {
  outputs?: string[];
  progress?: (phase: string, step: number, steps: number) => void;
}

/** Finds communities. Rejects with the message of the tool. */
export function cluster(edges: Iterable<Edge>, options?: Options): Promise<Communities>;

/** Finds vectors with their certificate. Rejects with the message of the tool. */
export function embed(edges: Iterable<Edge>, options?: Options): Promise<Embedding>;

/** Runs any command of the tool with these files. */
export function run(words: readonly (string | number)[], files?: Record<string, string | Uint8Array>, options?: RunOptions): Promise<Run>;
