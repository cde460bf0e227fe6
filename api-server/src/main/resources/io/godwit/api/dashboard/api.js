// Requests to the API of the same origin. The token is kept for this tab only, and sent as a header: a browser sends it
// by itself nowhere.

const KEY = 'godwit.token'
const PATIENCE_MILLIS = 20_000
/** Of a stream: it has something, if only a comment, each 15 seconds. */
const SILENCE_MILLIS = 60_000

/** What the API has refused or not answered; status 0 for no answer. */
export class Failed extends Error {
  constructor(status, message, problem) {
    super(message)
    this.status = status
    this.problem = problem
  }
}

let refused = () => {}

/** Called when a request was answered 401. */
export function whenRefused(then) {
  refused = then
}

export function token() {
  return sessionStorage.getItem(KEY) ?? ''
}

export function keepToken(text) {
  if (text === '') {
    sessionStorage.removeItem(KEY)
  } else {
    sessionStorage.setItem(KEY, text)
  }
}

/** Parts of a path, each encoded. */
export function path(...parts) {
  return parts.map(part => '/' + encodeURIComponent(part)).join('')
}

/** A query of what is neither empty nor missing. */
export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== '' && value !== null && value !== undefined)
  return given.length === 0 ? '' : '?' + new URLSearchParams(given)
}

export async function get(target) {
  return await send('GET', target)
}

/** With a `version`, only what is of that version is changed; else it fails with the status 412. */
export async function send(method, target, body, version) {
  const response = await ask(method, target, body, AbortSignal.timeout(PATIENCE_MILLIS), version)
  const text = await unbroken(response.text())
  const json = text === '' ? null : parsed(text)
  if (response.ok || response.status === 503 && json?.reasons) {
    return json
  }
  throw failed(response.status, json)
}

/**
 * Follows an answer that goes on: `take` gets the name and the data of each server-sent event. Returns the reason that
 * the node gives at the end; null when `gone` ended it.
 */
export async function stream(target, gone, take) {
  const over = new AbortController()
  const end = () => over.abort()
  gone.addEventListener('abort', end)
  let silence = setTimeout(end, SILENCE_MILLIS)
  let reason = null
  try {
    const response = await ask('GET', target, undefined, over.signal)
    if (!response.ok) {
      throw failed(response.status, parsed(await unbroken(response.text())))
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (let part = await unbroken(reader.read()); !part.done; part = await unbroken(reader.read())) {
      clearTimeout(silence)
      silence = setTimeout(end, SILENCE_MILLIS)
      const entries = (rest + part.value).split('\n\n')
      rest = entries.pop()
      for (const [event, data] of entries.map(parts).filter(([, data]) => data !== null)) {
        if (event === 'end') {
          reason = data.reason
        } else {
          take(event, data)
        }
      }
    }
    if (reason === null) {
      throw new Failed(0, 'The stream broke off.')
    }
  } catch (e) {
    if (!gone.aborted) {
      throw e
    }
  } finally {
    clearTimeout(silence)
    gone.removeEventListener('abort', end)
    end()
  }
  return gone.aborted ? null : reason
}

/** The name and the data of one server-sent event; data is null for a comment. */
function parts(entry) {
  const lines = entry.split('\n')
  const value = name => lines.find(line => line.startsWith(name + ': '))?.slice(name.length + 2)
  return [value('event') ?? 'message', parsed(value('data') ?? '')]
}

async function ask(method, target, body, signal, version) {
  const headers = {}
  if (token() !== '') {
    headers.Authorization = 'Bearer ' + token()
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json'
  }
  if (version !== undefined) {
    headers['If-Match'] = '"' + version + '"'
  }
  return await unbroken(fetch(target, {method, headers, body: body === undefined ? undefined : JSON.stringify(body),
    // with a token neither cookies of others on this host nor a certificate are sent
    credentials: token() === '' ? 'same-origin' : 'omit', cache: 'no-store', redirect: 'error', signal}))
}

/** What comes of the network; it fails as all else that the API does not answer. */
async function unbroken(coming) {
  try {
    return await coming
  } catch (e) {
    throw new Failed(0, e.name === 'TimeoutError' ? 'The node did not answer in time.'
      : 'The node does not answer.')
  }
}

function failed(status, json) {
  if (status === 401) {
    refused()
  }
  return new Failed(status, told(status, json), json)
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch (e) {
    return null
  }
}

function told(status, problem) {
  if (!problem) {
    return 'The node answered ' + status + '.'
  }
  const errors = (problem.errors ?? []).map(each => each.field + ' ' + each.message)
  const missing = problem.missingNodes?.length ? ['no answer of ' + problem.missingNodes.join(', ')] : []
  return [problem.title + ': ' + problem.detail, ...errors, ...missing].join('; ')
}
