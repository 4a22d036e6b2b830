// The JSON API of the server (proto/quantgate/v1), as far as the page reads it. Everything in it is text from outside.

export type Verdict = 'ACCEPTED' | 'ACCEPTED_WITH_WARNINGS' | 'REJECTED' | 'UNKNOWN' | 'VERDICT_UNSPECIFIED';
export type Severity = 'ERROR' | 'WARNING' | 'INFO' | 'SEVERITY_UNSPECIFIED';

export interface Location {
  node: string;
  op: string;
  input?: number;
  output?: number;
  value: string;
  sourceLine: string;
  subgraph: string;
}
export interface Finding {
  code: string;
  rule: string;
  severity: Severity;
  effect: string;
  location?: Location;
  message: string;
  observed: string;
  allowed: string;
  source?: {kind: string; table: string; row: string; document: string};
  correction: string;
  waiver?: {reason: string; expires: string};
  group: number;
  fix: string;
}
export interface Change {
  location?: Location;
  summary: string;
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
}
export interface Correction {
  id: string;
  safe: boolean;
  proven: boolean;
  changes: Change[];
  fixes: number[];
  summary: string;
  predictedCost?: {sqnrBeforeDb: number; sqnrAfterDb: number} | null;
}
export interface Result {
  target: string;
  verdict: Verdict;
  verdictReason: string;
  unjudgedReason?: string;
  coverage?: {nodes: number; checkedNodes: number; values: number; checkedValues: number};
  findings: Finding[];
  notChecked: {rule: string; node: string; reason: string}[];
  corrections: Correction[];
  outcome?: {kind: string; cause?: number; nodes?: {node: string; backendOps: string[]; refused: boolean}[]};
  unlistedFindings?: string;
}
export interface CommonCorrections {
  targets: string[];
  changes: Change[];
  safe: boolean;
  proven: boolean;
  conflicts: {targets: string[]; location?: Location; reason: string}[];
}
export interface Simulation {
  profile: string;
  profileReason: string;
  inputs: string;
  firstBadNode: string;
  nodes: {
    node: string;
    output: number;
    op: string;
    value: string;
    sqnrDb?: number;
    ownSqnrDb?: number;
    maxAbsErrorLsb: number;
    saturatedFraction: number;
    accumulatorBits: number;
    accumulatorBitsAvailable: number;
    floatReason: string;
  }[];
}
export interface Labels {
  repository: string;
  revision: string;
  branch: string;
  pullRequest: string;
}
export interface Report {
  name: string;
  createTime?: string;
  model?: {path: string; sha256: string; format: string};
  stage: string;
  results: Result[];
  labels?: Labels | null;
  commonCorrections?: CommonCorrections | null;
  simulation?: Simulation | null;
}
export interface FleetState {
  report: string;
  createTime?: string;
  verdict: Verdict;
  errors: string;
  warnings: string;
}
export interface FleetEntry {
  repository: string;
  modelPath: string;
  target: string;
  newest?: FleetState;
  previous?: FleetState;
}
export interface TargetDiff {
  target: string;
  baseTarget: string;
  verdict: Verdict;
  baseVerdict: Verdict;
  newFindings: Finding[];
  fixedFindings: Finding[];
  remainingFindings: Finding[];
}
export interface TrendPoint {
  startTime?: string;
  results: string;
  verdicts: {verdict: Verdict; results: string}[];
  families: {family: string; findings: string; fixed: string; meanSecondsToFix: number}[];
}
export interface GraphValue {
  name?: string;
  spec?: number;
  constant?: object;
}
export interface GraphNode {
  name?: string;
  op?: number;
  inputs?: number[];
  outputs?: number[];
  attributes?: {name?: number; graph?: number}[];
}
export interface Graph {
  name?: string;
  symbols?: string[];
  values?: GraphValue[];
  nodes?: GraphNode[];
  inputs?: number[];
  outputs?: number[];
  subgraphs?: Graph[];
}
export interface CheckEvent {
  id: number;
  phase: string;
  model: string;
  targets: string[];
  nodes: number;
  elapsedMs: number;
  report?: string;
  verdicts?: {target: string; verdict: Verdict}[];
  error?: string;
}
export interface DecodedLog {
  lines: number;
  messages: {
    line: number;
    count: number;
    text: string;
    tool: string;
    means: string;
    rules: {code: string; name: string}[];
    change: string;
    source: string;
  }[];
  unknown: {line: number; text: string}[];
  unknownCount: number;
}

// What the server says when it cannot answer.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export async function errorOf(status: number, text: string): Promise<ApiError> {
  try {
    const json = JSON.parse(text) as {message?: string};
    if (json.message) return new ApiError(status, json.message);
  } catch {
    // Not ours: a proxy's words, which help nobody.
  }
  return new ApiError(status, `the server answered ${status}`);
}

export async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {...init, headers: {'X-QuantGate-Request': '1', ...init.headers}});
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'the server cannot be reached');
  }
  const text = await response.text();
  if (!response.ok) throw await errorOf(response.status, text);
  return JSON.parse(text) as T;
}

export function query(parameters: Record<string, string | number | boolean | undefined>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') search.set(key, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

// A text in a filter expression.
export function quoted(text: string): string {
  return `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`;
}

// Of an address, where an empty text is `""`: a parameter that is not there means any.
export const named = (text: string): string => (text === '' ? '""' : text);
export const condition = (field: string, value: string): string =>
  `${field} = ${value === '""' ? value : quoted(value)}`;

export const idOf = (name: string): string => name.replace(/^reports\//, '');
