// Requests to the API of the same origin. The token is kept for this tab only, and sent as a header: a browser sends it
// by itself nowhere.

const KEY = 'godwit.token'
const PATIENCE_MILLIS = 20_000

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

export async function send(method, target, body) {
  const headers = {}
  if (token() !== '') {
    headers.Authorization = 'Bearer ' + token()
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json'
  }
  let response
  let text
  try {
    response = await fetch(target, {method, headers, body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'same-origin', cache: 'no-store', redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MILLIS)})
    text = await response.text()
  } catch (e) {
    throw new Failed(0, e.name === 'TimeoutError' ? 'The node did not answer in time.'
      : 'The node does not answer.')
  }
  const json = text === '' ? null : parsed(text)
  if (response.ok || response.status === 503 && json?.reasons) {
    return json
  }
  if (response.status === 401) {
    refused()
  }
  throw new Failed(response.status, told(response.status, json), json)
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
