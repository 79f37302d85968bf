/** Sets the member at a JSON pointer of what is already there. */
export function setAt(target, pointer, value) {
  const keys = pointer.split("/").slice(1);
  const names = keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = names.pop();
  const parent = names.reduce((object, name) => object[name], target);
  parent[last] = value;
}
