// The service worker. It connects `PageCache` (which stores the files of the page) to the events of the browser.
// The build makes one file without imports of it, beside the page, and puts the list of the page's files into
// that file (vite.config.ts).

import { PageCache, type PageFiles } from "./page-cache.ts";

/** Placeholder: the build puts the list of the page's files in place of this name. */
declare const __PAGE_FILES__: PageFiles;

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface RequestEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/**
 * The members of the browser type `ServiceWorkerGlobalScope` that this file uses. They are declared here,
 * because the page is compiled with type definitions that lack this type.
 */
interface Worker {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<readonly unknown[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: WorkerEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: RequestEvent) => void): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}

const worker = globalThis as unknown as Worker;
const cache = new PageCache(__PAGE_FILES__, {
  scope: worker.registration.scope,
  caches,
  fetch: (request, init) => fetch(request, init),
  unregister: () => worker.registration.unregister(),
  tabs: async () => (await worker.clients.matchAll({ type: "window", includeUncontrolled: true })).length,
});

worker.addEventListener("install", (event) => event.waitUntil(cache.install()));
// The service worker takes control of the open pages as soon as it is active. So the page from which the service
// worker was installed for the first time can load its other parts without a network, too.
worker.addEventListener("activate", (event) => event.waitUntil(cache.activate().then(() => worker.clients.claim())));
worker.addEventListener("fetch", (event) => {
  const answer = cache.answer(event.request, (work) => event.waitUntil(work));
  if (answer !== null) event.respondWith(answer);
});
// A new version waits until the user asks for it, or until no tab shows the page.
worker.addEventListener("message", ({ data }) => {
  if (data === "use now") void worker.skipWaiting();
});
