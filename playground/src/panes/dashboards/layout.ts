// Computes the places (positions and sizes) of charts on the grid of a dashboard. The grid has 24 columns, and as many
// rows as the charts need.

export const gridColumns = 24;

/** The position and size of a chart, in columns and rows of the grid. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export const least = { w: 3, h: 3 } as const;
const most = { h: 60, y: 10_000 } as const;
const automatic = { w: 8, h: 9, perRow: 3 } as const;

const whole = (value: unknown, low: number, high: number, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? Math.min(high, Math.max(low, Math.round(value))) : otherwise;

/**
 * Returns the places of charts: the places in their templates, moved into the grid and apart from each other. Charts
 * without a place go below the others, three in a row.
 */
export function placesOf(given: readonly (Readonly<Record<string, unknown>> | null)[]): readonly Place[] {
  const read = given.map((pos): Place | null => {
    if (pos === null || typeof pos.x !== "number" || typeof pos.y !== "number") return null;
    const w = whole(pos.w, 1, gridColumns, automatic.w);
    return {
      w,
      h: whole(pos.h, 1, most.h, automatic.h),
      x: whole(pos.x, 0, gridColumns - w, 0),
      y: whole(pos.y, 0, most.y, 0),
    };
  });
  const below = bottomOf(read.filter((each) => each !== null));
  let count = 0;
  const all = read.map((place): Place => {
    if (place !== null) return place;
    const [column, row] = [count % automatic.perRow, Math.floor(count / automatic.perRow)];
    count++;
    return { x: column * automatic.w, y: below + row * automatic.h, w: automatic.w, h: automatic.h };
  });
  return apart(all, null);
}

export function bottomOf(places: readonly Place[]): number {
  return places.reduce((bottom, { y, h }) => Math.max(bottom, y + h), 0);
}

export function overlaps(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/**
 * Returns the indexes of `places` in reading order: from the top down, and from left to right. Among the places that
 * begin in the same row, the one with the index `first` comes first.
 */
function orderOf(places: readonly Place[], first: number | null): readonly number[] {
  return places
    .map((_, at) => at)
    .sort(
      (a, b) =>
        places[a]!.y - places[b]!.y ||
        Number(b === first) - Number(a === first) ||
        places[a]!.x - places[b]!.x ||
        a - b,
    );
}

/**
 * Moves charts down until no chart overlaps another. The chart `fixed` keeps its place; a chart that begins above it
 * stays above when there is room.
 */
function apart(places: readonly Place[], fixed: number | null): readonly Place[] {
  const placed: Place[] = [];
  const result = [...places];
  if (fixed !== null) placed.push(places[fixed]!);
  for (const at of orderOf(places, fixed)) {
    if (at === fixed) continue;
    let place = places[at]!;
    const held = fixed === null ? undefined : places[fixed]!;
    if (held !== undefined && overlaps(place, held) && place.y < held.y) {
      const above = { ...place, y: held.y - place.h };
      if (above.y >= 0 && hitOf(placed, above) === undefined) place = above;
    }
    for (let hit = hitOf(placed, place); hit !== undefined; hit = hitOf(placed, place))
      place = { ...place, y: hit.y + hit.h };
    placed.push(place);
    result[at] = place;
  }
  return result;
}

const hitOf = (placed: readonly Place[], place: Place) => placed.find((each) => overlaps(each, place));

/**
 * Moves every chart up until it touches the chart above it or the top of the grid. Among charts that begin in
 * the same row, the one with the index `first` is moved first.
 */
function compact(places: readonly Place[], first: number | null): readonly Place[] {
  const placed: Place[] = [];
  const result = [...places];
  for (const at of orderOf(places, first)) {
    let place = places[at]!;
    while (place.y > 0) {
      const next = { ...place, y: place.y - 1 };
      if (hitOf(placed, next) !== undefined) break;
      place = next;
    }
    placed.push(place);
    result[at] = place;
  }
  return result;
}

/**
 * Puts one chart at a place within the grid. The other charts make room, and then every chart moves up as far as there
 * is room.
 */
export function placeChart(places: readonly Place[], index: number, wanted: Place): readonly Place[] {
  const w = whole(wanted.w, least.w, gridColumns, automatic.w);
  const place: Place = {
    w,
    h: whole(wanted.h, least.h, most.h, automatic.h),
    x: whole(wanted.x, 0, gridColumns - w, 0),
    y: whole(wanted.y, 0, most.y, 0),
  };
  return compact(apart(places.with(index, place), index), index);
}

/**
 * Moves a chart before the previous chart in reading order: beside that chart when both begin in the same row,
 * otherwise above it. Returns the places unchanged when there is no previous chart.
 */
export function placeEarlier(places: readonly Place[], index: number): readonly Place[] {
  const order = orderOf(places, null);
  const rank = order.indexOf(index);
  const before = order[rank - 1];
  if (before === undefined) return places;
  const [own, other] = [places[index]!, places[before]!];
  const isEarlier = (moved: readonly Place[]) => orderOf(moved, null).indexOf(index) < rank;
  if (own.y === other.y) {
    const swapped = places.with(index, { ...own, x: other.x }).with(before, { ...other, x: own.x + own.w - other.w });
    const moved = compact(apart(swapped, index), index);
    if (isEarlier(moved)) return moved;
  }
  // Charts move up by themselves into free space. So a chart that is put into the row of the previous chart (`other`)
  // may still come after that chart in reading order. Therefore the rows above are tried as well.
  for (let y = other.y; y >= 0; y--) {
    const moved = placeChart(places, index, { ...own, x: Math.min(other.x, gridColumns - own.w), y });
    if (isEarlier(moved)) return moved;
  }
  return placeChart(places, index, { ...own, x: 0, y: 0 });
}

/** Returns the topmost place that has room for a chart of the given size. */
export function freePlace(places: readonly Place[], w: number, h: number): Place {
  for (let y = 0; ; y++)
    for (let x = 0; x + w <= gridColumns; x++) {
      const place = { x, y, w, h };
      if (hitOf(places, place) === undefined) return place;
    }
}
