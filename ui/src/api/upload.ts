// Sends a file to the server.

/** Returns the id of the new data set; throws an error in the server's words. */
export async function upload(file: File, signal: AbortSignal): Promise<string> {
  const url = new URL(`upload?name=${encodeURIComponent(file.name)}`, document.baseURI);
  const response = await fetch(url, { method: 'POST', body: file, signal });
  const text = await response.text();
  let answer: { data_set?: string; error?: string } = {};
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    // Not JSON: the text is all there is.
  }
  if (!response.ok || !answer.data_set) {
    throw new Error(answer.error ?? (text.trim().slice(0, 500) || `The server answered ${response.status}.`));
  }
  return answer.data_set;
}
