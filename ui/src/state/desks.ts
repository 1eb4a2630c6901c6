// The desk of each data set: its workspace with what can be undone, and how its panels are
// looked at. A small one is in the address; a large one is kept by the browser for as long as
// the tab is open, and the address has its name.
import { useSyncExternalStore } from 'react';
import type { Glance } from './glance';
import { amend, begin, change, redo, undo, type History } from './history';
import { pack, toAddress, unpack } from './packed';
import { freeId, type Work } from './work';

export interface Desk {
  history: History<Work>;
  glances: Readonly<Record<string, Glance>>;
  /** The panel in front of its stack that was used last. */
  active: string;
  /** The panel with a tree whose steps are the address's own; '' if there is none. */
  front: string;
  /** What the panels were before anybody changed something; such a desk is in no address. */
  initial: string;
}

/** The longest workspace that goes into an address. */
const SHORT = 1800;
/** How an address names one that is kept by the browser. */
const KEPT = '@';

const desks = new Map<string, Desk>();
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function deskOf(dataSet: string): Desk | undefined {
  return desks.get(dataSet);
}

export function useDesk(dataSet: string): Desk | undefined {
  return useSyncExternalStore(subscribe, () => desks.get(dataSet));
}

function put(dataSet: string, desk: Desk): void {
  if (desks.get(dataSet) === desk) return;
  desks.set(dataSet, desk);
  tell();
}

/** Puts a desk where there is none, or in place of the one there is. */
export function layOut(dataSet: string, work: Work, glances: Readonly<Record<string, Glance>>, front: string, initial: string): void {
  put(dataSet, { history: begin(work), glances, active: work.panels[0]?.id ?? '', front, initial });
}

export function forget(dataSet: string): void {
  if (desks.delete(dataSet)) tell();
}

/** A change that can be undone. */
export function doWork(dataSet: string, what: string, next: (work: Work) => Work): void {
  const desk = desks.get(dataSet);
  if (desk) put(dataSet, withHistory(desk, change(desk.history, next(desk.history.now), what)));
}

/** A change that is not worth a step of undoing. */
export function amendWork(dataSet: string, next: (work: Work) => Work): void {
  const desk = desks.get(dataSet);
  if (desk) put(dataSet, withHistory(desk, amend(desk.history, next(desk.history.now))));
}

export function undoWork(dataSet: string): void {
  const desk = desks.get(dataSet);
  if (desk) put(dataSet, withHistory(desk, keepLayout(desk.history, undo(desk.history))));
}

export function redoWork(dataSet: string): void {
  const desk = desks.get(dataSet);
  if (desk) put(dataSet, withHistory(desk, keepLayout(desk.history, redo(desk.history))));
}

/** Where the panels are goes back only with panels: nobody who undoes a filter means it. */
function keepLayout(before: History<Work>, after: History<Work>): History<Work> {
  const same = before.now.panels.map((p) => p.id).join() === after.now.panels.map((p) => p.id).join();
  return same && after !== before ? amend(after, { ...after.now, layout: before.now.layout }) : after;
}

function withHistory(desk: Desk, history: History<Work>): Desk {
  if (history === desk.history) return desk;
  const there = (id: string) => history.now.panels.some((p) => p.id === id);
  const active = there(desk.active) ? desk.active : (history.now.panels[0]?.id ?? '');
  return { ...desk, history, active };
}

export function glanceAt(dataSet: string, panel: string, change: Partial<Glance>): void {
  const desk = desks.get(dataSet);
  if (!desk) return;
  const next: Glance = { ...desk.glances[panel], ...change };
  for (const key of Object.keys(next) as (keyof Glance)[]) if (next[key] === undefined) delete next[key];
  put(dataSet, { ...desk, glances: { ...desk.glances, [panel]: next } });
}

export function activate(dataSet: string, panel: string): void {
  const desk = desks.get(dataSet);
  if (desk && desk.active !== panel) put(dataSet, { ...desk, active: panel });
}

export function setFront(dataSet: string, panel: string): void {
  const desk = desks.get(dataSet);
  if (desk && desk.front !== panel) put(dataSet, { ...desk, front: panel });
}

/** An id for a new panel that no panel has, or had and can have again by undoing. */
export function newId(desk: Desk): string {
  const { past, now, future } = desk.history;
  return freeId(now, ...past.map((p) => p.state), ...future.map((p) => p.state));
}

/** A name for a text, to find it again. */
function nameOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}

function storageKey(name: string): string {
  return `cambium desk ${name}`;
}

function store(text: string): string {
  const name = nameOf(text);
  try {
    sessionStorage.setItem(storageKey(name), text);
  } catch {
    // Full, or refused: the desk lasts as long as the page.
  }
  return name;
}

/** What the address says of a desk; '' for one that nobody changed. */
export function addressOf(desk: Desk): string {
  const text = pack(desk.history.now, desk.glances);
  if (text === desk.initial) return '';
  const value = desk.front === '' ? text : `${desk.front};${text}`;
  return toAddress(value).length <= SHORT ? value : KEPT + store(value);
}

/** Whether an address has a desk that only this tab knows. */
export function isKeptHere(value: string): boolean {
  return value.startsWith(KEPT);
}

/** Lays out what an address says; false if that cannot be read, or was kept by another tab. */
export function layOutFrom(dataSet: string, value: string, initial: string): boolean {
  let text = value;
  if (isKeptHere(value)) {
    try {
      text = sessionStorage.getItem(storageKey(value.slice(KEPT.length))) ?? '';
    } catch {
      return false;
    }
  }
  const m = /^(?:(\d+);)?(\{[^]*)$/.exec(text);
  const found = m && unpack(m[2]);
  if (!found) return false;
  const front = m[1] !== undefined && found.work.panels.some((p) => p.id === m[1]) ? m[1] : '';
  layOut(dataSet, found.work, found.glances, front, initial);
  return true;
}

