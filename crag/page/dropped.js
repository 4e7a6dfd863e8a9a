// Files and whole folders that were dropped on the page.

/** Every file of a drop, folders walked, as `{file, name}` with `name` the path inside what was dropped. */
export async function droppedFiles(transfer) {
  // The items are gone after the first await, so that their entries are taken at once.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, name: file.name }));
  return (await Promise.all(entries.map(walk))).flat();
}

async function walk(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, name: entry.fullPath.replace(/^\//, "") }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // A reader gives a folder in portions of at most a hundred.
    const portion = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!portion.length) break;
    found.push(...portion.filter((each) => !each.name.startsWith(".")));
  }
  return (await Promise.all(found.map(walk))).flat();
}
