// How requests reach the server. The copy without a server has a module of the same name that asks a worker instead.

export class ApiError extends Error {}

const TAB = crypto.getRandomValues(new Uint32Array(2)).join("-"); // the server lets the tabs of a machine take turns

export async function ask(path, body) {
  const headers = { "x-zeroply-tab": TAB };
  const options = body === undefined ? { headers } : {
    method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(`/api/${path}`, options);
  } catch {
    throw new ApiError("The server does not answer. Is zeroply web still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(sentence(answer.detail ?? `The server answered ${response.status}.`));
  return answer;
}

export function sentence(text) {
  const words = String(text);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A reply of several lines of JSON: `online` is called with each as it arrives; `signal` ends it. */
export async function stream(path, body, online, signal) {
  const headers = { "x-zeroply-tab": TAB, "content-type": "application/json" };
  let response;
  try {
    response = await fetch(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch {
    if (signal.aborted) return;
    throw new ApiError("The server does not answer. Is zeroply web still running?");
  }
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new ApiError(sentence(answer.detail ?? `The server answered ${response.status}.`));
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split("\n");
      rest = lines.pop();
      for (const line of lines) online(JSON.parse(line));
    }
  } catch (problem) {
    if (!signal.aborted) throw problem;
  }
}
