// The page's side of the service worker: starts it after the first load, offers new versions, and turns it off. The
// page loads this file some seconds after its start.

import type { Session } from "../state/session.svelte.ts";
import { offlineKey, visitTexts } from "../state/storage/storage.ts";
import { deleteCaches } from "./page-cache.ts";

/** Whether this page was built for production. Vite sets the value. Vite's development server has no service worker. */
const isBuilt = (import.meta as unknown as { readonly env: { readonly PROD: boolean } }).env.PROD;
const updateCheckMs = 3600_000;
const idleCheckMs = 1000;

export class Offline {
  isOn = $state(visitTexts.get(offlineKey) !== "off");
  /**
   * Whether the browser can run a service worker for this page: only over HTTPS, or when this machine serves the page.
   */
  readonly isPossible = isBuilt && "serviceWorker" in navigator && "caches" in globalThis;
  state = $state<"none" | "storing" | "ready" | "failed">("none");
  /** A new version of the page, which waits until the user accepts it. */
  waiting = $state.raw<ServiceWorker | null>(null);

  private readonly scope = new URL("./", document.baseURI).href;
  private hasStarted = false;

  /** Stores the page for use without a network, once the page has loaded everything that it needs at the moment. */
  async start(session: Session): Promise<void> {
    if (!this.isOn || !this.isPossible) return;
    while (session.language === null || session.running !== null) await pause(idleCheckMs);
    await this.register();
  }

  async set(isOn: boolean): Promise<void> {
    this.isOn = isOn;
    visitTexts.set(offlineKey, isOn ? null : "off");
    if (isOn) await this.register();
    else await this.remove();
  }

  /** Reloads the page with the new version. Other tabs keep the old version until they are reloaded. */
  useNow(): void {
    // When another tab has told the new version to become active, the new version no longer waits. This tab then only
    // has to reload.
    if (this.waiting?.state !== "installed") {
      location.reload();
      return;
    }
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    this.waiting.postMessage("use now");
  }

  private async register(): Promise<void> {
    if (!this.isPossible) return;
    this.state = "storing";
    try {
      const script = new URL("service-worker.js", this.scope);
      const registration = await navigator.serviceWorker.register(script, { updateViaCache: "none" });
      this.follow(registration);
    } catch {
      this.state = "failed";
    }
  }

  private follow(registration: ServiceWorkerRegistration): void {
    if (registration.active !== null) this.state = "ready";
    if (registration.waiting !== null) this.offer(registration.waiting);
    this.watch(registration.installing, registration);
    if (this.hasStarted) return;
    this.hasStarted = true;
    registration.addEventListener("updatefound", () => this.watch(registration.installing, registration));
    // The browser looks for a new version only when the page is opened, but a tab may stay open for days. So the page
    // lets the browser look again at intervals.
    setInterval(() => {
      if (this.isOn) void registration.update().catch(() => {});
    }, updateCheckMs);
  }

  private watch(worker: ServiceWorker | null, registration: ServiceWorkerRegistration): void {
    if (worker === null) return;
    const look = () => {
      if (worker.state === "installed" && registration.active !== null) this.offer(worker);
      else if (worker.state === "activated" && this.isOn) this.state = "ready";
      else if (worker.state === "redundant" && registration.active === null && this.isOn) this.state = "failed";
    };
    worker.addEventListener("statechange", look);
    look();
  }

  private offer(worker: ServiceWorker): void {
    if (this.isOn) this.waiting = worker;
  }

  private async remove(): Promise<void> {
    this.waiting = null;
    this.state = "none";
    if (!this.isPossible) return;
    const registration = await navigator.serviceWorker.getRegistration(this.scope);
    if (registration?.scope === this.scope) await registration.unregister();
    await deleteCaches(caches, this.scope);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const offline = new Offline();
