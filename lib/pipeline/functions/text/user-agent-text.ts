// Parses a User-Agent header by the rules of docs/reference/functions.md#user_agent. A table of test cases
// determines the results, because scripts depend on the exact words. The table is older than today's parsers of
// such headers, so their results may differ.

export interface UserAgent {
  isMobile: boolean;
  isBot: boolean;
  os: string;
  browser: string;
  browserVersion: string;
  engine: string;
  engineVersion: string;
  platform: string;
}

/** A section of the header, `name/version (part; part)`; text in square brackets after the section is left out. */
interface Section {
  readonly name: string;
  readonly version: string;
  readonly comment: readonly string[];
}

export function parseUserAgent(text: string): UserAgent {
  const sections = sectionsOf(text);
  const agent: UserAgent = {
    isMobile: sections.some(({ name }) => name === "Mobile"),
    isBot: false,
    os: "",
    browser: "",
    browserVersion: "",
    engine: "",
    engineVersion: "",
    platform: "",
  };
  const [first] = sections;
  if (first === undefined) return agent;
  const namesBot = detectBrowser(agent, sections);
  const undecided = detectSystem(agent, first, text);
  if (namesBot || undecided) detectBot(agent, sections);
  return agent;
}

function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  let at = 0;
  /**
   * Reads up to the character `end` and moves past this character. When `nested` is true, parentheses may be
   * nested: each `(` that is read must be closed by its own `end`, which belongs to the text that is read.
   */
  const until = (end: string, nested: boolean): string => {
    const start = at;
    for (let depth = 0; at < text.length; at++) {
      if (text[at] === end) {
        if (depth === 0) break;
        depth--;
      } else if (nested && text[at] === "(") depth++;
    }
    return text.slice(start, at++);
  };
  while (at < text.length) {
    let product = "";
    let comment: string[] = [];
    if (text[at] !== "(" && text[at] !== "[") product = until(" ", false);
    if (text[at] === "(") {
      at++;
      comment = until(")", true).split("; ");
      at++;
    }
    if (text[at] === "[") {
      at++;
      until("]", true);
      at++;
    }
    const slash = product.indexOf("/");
    const name = slash < 0 ? product : product.slice(0, slash);
    sections.push({ name, version: slash < 0 ? "" : product.slice(slash + 1), comment });
  }
  return sections;
}

/**
 * Finds the browser. Returns true when the header names a crawler in the parentheses after the name and version of the
 * engine.
 */
function detectBrowser(agent: UserAgent, sections: readonly Section[]): boolean {
  const [first, second] = sections as [Section, Section | undefined];
  if (first.name === "Opera") {
    agent.browser = "Opera";
    agent.browserVersion = first.version;
    agent.engine = "Presto";
    agent.engineVersion = second?.version ?? "";
  } else if (first.name === "Dalvik") return false;
  else if (second !== undefined) {
    agent.engine = second.name;
    agent.engineVersion = second.version;
    if (sections.length > 2) return browserOfEngine(agent, sections, second);
  } else internetExplorer(agent, first.comment);
  return false;
}

function browserOfEngine(agent: UserAgent, sections: readonly Section[], engine: Section): boolean {
  const third = sections[2]!;
  // The third section usually names the browser and its version. When the third section is a word without a version,
  // the version is read from the fourth section.
  const counting = third.version === "" && sections.length > 3 ? sections[3]! : third;
  agent.browserVersion = counting.version;
  if (engine.name === "AppleWebKit") {
    const namesBot = engine.comment.some((piece) => piece.startsWith("Googlebot") || piece.startsWith("bingbot"));
    webkitBrowser(agent, sections, counting.name, namesBot);
    return namesBot;
  }
  if (engine.name === "Gecko") {
    const chosen = third.name === "MRA" && sections.length > 4 ? sections[4]! : third;
    agent.browser = chosen.name;
    if (chosen !== third) agent.browserVersion = chosen.version;
  } else if (engine.name === "like" && third.name === "Gecko") {
    agent.engine = "Trident";
    agent.browser = "Internet Explorer";
    const revision = sections[0]!.comment.find((piece) => /^rv:./.test(piece));
    agent.browserVersion = revision?.slice(3) ?? "";
  }
  return false;
}

const byVersionSection: ReadonlyMap<string, string> = new Map([
  ["Chrome", "Chrome"],
  ["CriOS", "Chrome"],
  ["HeadlessChrome", "Headless Chrome"],
  ["Chromium", "Chromium"],
  ["GSA", "Google App"],
  ["FxiOS", "Firefox"],
]);

function webkitBrowser(agent: UserAgent, sections: readonly Section[], counting: string, namesBot: boolean): void {
  const last = sections.at(-1)!;
  const before = sections.at(-2)!;
  const third = sections.at(-3)!;
  const is = (name: string, version: string) => {
    agent.browser = name;
    agent.browserVersion = version;
  };
  if (last.name === "Edge") {
    is("Edge", last.version);
    agent.engine = "EdgeHTML";
    agent.engineVersion = "";
  } else if (last.name === "Edg") {
    if (namesBot) return;
    is("Edge", last.version);
    agent.engineVersion = before.version;
  } else if (last.name === "OPR") is("Opera", last.version);
  else if (last.name === "Mobile") is("Mobile App", "");
  else if (third.name === "YaBrowser") is("YaBrowser", third.version);
  else if (third.name === "coc_coc_browser") is("Coc Coc", third.version);
  else if (["Electron", "DuckDuckGo", "PhantomJS"].includes(before.name)) is(before.name, before.version);
  else agent.browser = byVersionSection.get(counting) ?? "Safari";
}

const tridentVersions: ReadonlyMap<string, string> = new Map([
  ["4.0", "8.0"],
  ["5.0", "9.0"],
  ["6.0", "10.0"],
]);

/** Handles Internet Explorer up to version 10, whose header has all details in one pair of parentheses. */
function internetExplorer(agent: UserAgent, comment: readonly string[]): void {
  if (comment[0] !== "compatible" || comment[1]?.startsWith("MSIE") !== true) return;
  agent.engine = "Trident";
  agent.browser = "Internet Explorer";
  const trident = comment.find((piece) => piece.startsWith("Trident/"))?.slice("Trident/".length);
  agent.browserVersion = tridentVersions.get(trident ?? "") ?? comment[1].slice("MSIE".length).trim();
}

const windowsNames: ReadonlyMap<string, string> = new Map([
  ["5.0", "Windows 2000"],
  ["5.01", "Windows 2000, Service Pack 1 (SP1)"],
  ["5.1", "Windows XP"],
  ["5.2", "Windows XP x64 Edition"],
  ["6.0", "Windows Vista"],
  ["6.1", "Windows 7"],
  ["6.2", "Windows 8"],
  ["6.3", "Windows 8.1"],
  ["10.0", "Windows 10"],
]);

function systemName(text: string): string {
  const version = /^[^ ]* NT (.*)$/s.exec(text)?.[1];
  return (version === undefined ? undefined : windowsNames.get(version)) ?? text;
}

/**
 * Finds the operating system and stores it in `agent`. Returns true when the caller should look for the name of a bot:
 * when the header names no known engine of a browser, begins with no known program, or names a crawler.
 */
function detectSystem(agent: UserAgent, first: Section, text: string): boolean {
  const { comment } = first;
  switch (first.name) {
    case "Mozilla":
      agent.platform = platformOf(comment);
      if (agent.platform === "Windows") agent.os = systemName(comment[0]!);
      if (agent.engine === "") return true;
      if (agent.engine === "Gecko") geckoSystem(agent, comment);
      else if (agent.engine === "AppleWebKit") return webkitSystem(agent, comment, text);
      else if (agent.engine === "Trident") tridentSystem(agent, comment);
      return false;
    case "Opera":
      if (comment.length > 0) operaSystem(agent, comment);
      return false;
    case "Dalvik":
      if (comment[0]?.startsWith("Linux") === true) {
        agent.platform = comment[0];
        agent.os = comment[2] ?? "";
        agent.isMobile = true;
      }
      return false;
    case "okhttp":
      agent.isMobile = true;
      agent.browser = "OkHttp";
      agent.browserVersion = first.version;
      return false;
    default:
      return true;
  }
}

function platformOf([first]: readonly string[]): string {
  if (first === undefined || first === "compatible") return "";
  if (first === "BB10") return "BlackBerry";
  return ["Windows", "Symbian", "webOS"].find((word) => first.startsWith(word)) ?? first;
}

function geckoSystem(agent: UserAgent, comment: readonly string[]): void {
  const [first, second, third] = comment;
  if (second === undefined) return;
  if (second === "U" || second === "arm_64") agent.os = systemName(third ?? second);
  else if (agent.platform.includes("Android")) {
    agent.isMobile = true;
    agent.os = agent.platform;
    agent.platform = systemName(second);
  } else if (first === "Mobile" || first === "Tablet") {
    agent.isMobile = true;
    agent.os = "FirefoxOS";
  } else if (agent.os === "") agent.os = systemName(second);
}

function webkitSystem(agent: UserAgent, comment: readonly string[], text: string): boolean {
  const [first, second, third] = comment;
  let undecided = false;
  /**
   * Returns true when the header looks like the header of a browser but names a crawler. For such a header, also clears
   * the platform.
   */
  const isCrawler = (): boolean => {
    if (!text.includes("Google") && !text.includes("bingbot")) return false;
    agent.platform = "";
    undecided = true;
    return true;
  };
  if (agent.platform === "webOS") {
    agent.browser = agent.platform;
    agent.os = "Palm";
    agent.isMobile = true;
  } else if (agent.platform === "Symbian") {
    agent.browser = agent.platform;
    agent.os = first!;
    agent.isMobile = true;
  } else if (agent.platform === "Linux") {
    agent.isMobile = true;
    if (agent.browser === "Safari") agent.browser = "Android";
    if (second === "U" || second === "arm_64") {
      agent.os = third ?? first!;
      if (third === undefined) agent.isMobile = false;
    } else if (second !== undefined) agent.os = second;
    if (comment.length === 3) isCrawler();
  } else if (first !== undefined) {
    if (first.startsWith("Windows NT")) agent.os = systemName(first);
    else if (third !== undefined) agent.os = systemName(third);
    else if (second !== undefined && !isCrawler() && !isMessagePreview(agent, text)) agent.os = systemName(second);
    if (agent.platform === "BlackBerry") {
      agent.browser = agent.platform;
      if (agent.os === "Touch") agent.os = agent.platform;
    }
  }
  // Firefox on an iPad sends a header that names a Macintosh as the device. The platform is corrected to iPad.
  if (agent.platform === "Macintosh" && agent.browser === "Firefox") {
    agent.platform = "iPad";
    agent.isMobile = true;
  }
  return undecided;
}

/**
 * Detects a link preview of iMessage, whose header contains the names of two crawlers at once. Stores the result in
 * `agent`.
 */
function isMessagePreview(agent: UserAgent, text: string): boolean {
  if (!text.includes("facebookexternalhit") || !text.includes("Twitterbot")) return false;
  agent.isBot = true;
  agent.browser = "iMessage-Preview";
  agent.engine = "";
  agent.engineVersion = "";
  return true;
}

function tridentSystem(agent: UserAgent, comment: readonly string[]): void {
  agent.platform = "Windows";
  if (agent.os === "") agent.os = comment[2] === undefined ? "Windows NT 4.0" : systemName(comment[2]);
  if (comment.some((piece) => piece.startsWith("IEMobile"))) agent.isMobile = true;
}

function operaSystem(agent: UserAgent, [first, second]: readonly string[]): void {
  if (first!.startsWith("Windows")) {
    agent.platform = "Windows";
    agent.os = systemName(first!);
    return;
  }
  if (first!.startsWith("Android")) agent.isMobile = true;
  agent.platform = first!;
  agent.os = second ?? first!;
}

const botName = /bot|crawler|sp[iy]der|search|worm|fetch|nutch/i;
const site = /https?:\/\/.+\.\w+/;

function detectBot(agent: UserAgent, sections: readonly Section[]): void {
  const [first] = sections as [Section];
  if (sections.length === 1 && first.name !== "Mozilla") {
    const named = botName.test(first.name);
    agent.isBot = named || siteName(first.comment) !== "";
    reduce(agent, first.name, named ? "" : first.version);
    return;
  }
  for (const { comment } of sections) {
    const name = siteName(comment);
    if (name === "") continue;
    const slash = name.indexOf("/");
    agent.isBot = true;
    reduce(agent, slash < 0 ? name : name.slice(0, slash), slash < 0 ? "" : name.slice(slash + 1));
    return;
  }
  agent.browser = first.name;
  agent.browserVersion = first.version;
}

/** Handles a header that does not name an engine, and therefore contains little information about the client. */
function reduce(agent: UserAgent, name: string, version: string): void {
  agent.browser = name;
  agent.browserVersion = version;
  agent.engine = "";
  agent.engineVersion = "";
  agent.os = "";
}

/**
 * Returns the name of the web site that a header names in parentheses. Returns an empty string when there are no
 * parentheses, or when there is no web address at the position in the parentheses where it usually is.
 */
function siteName(comment: readonly string[]): string {
  if (comment.length === 0) return "";
  const place = comment.length < 3 ? 0 : comment.length === 4 ? 3 : 2;
  const found = site.exec(comment[place]!);
  if (found === null) return "";
  return place === 0 ? found[0] : comment[place - 1]!.trim();
}
