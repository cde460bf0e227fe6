// Numbers and texts for people.

/** For what is not known. */
export const UNKNOWN = '–'

const WHOLE = new Intl.NumberFormat('en', {maximumFractionDigits: 0})
const SMALL = new Intl.NumberFormat('en', {maximumFractionDigits: 1})
const TINY = new Intl.NumberFormat('en', {maximumFractionDigits: 2})

export function count(value) {
  return value === null || value === undefined ? UNKNOWN : WHOLE.format(value)
}

export function rate(value) {
  return value === null || value === undefined ? UNKNOWN
    : (value < 10 ? TINY : value < 100 ? SMALL : WHOLE).format(value)
}

export function bytes(value) {
  let unit = 0
  let rest = value
  while (rest >= 1024 && unit < 5) {
    rest /= 1024
    unit++
  }
  return (unit === 0 ? WHOLE : SMALL).format(rest) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][unit]
}

export function share(value) {
  return value < 0 ? UNKNOWN : WHOLE.format(value * 100) + ' %'
}

export function millis(value) {
  return value === undefined || value === null ? UNKNOWN : SMALL.format(value) + ' ms'
}

export function time(atMillis) {
  return new Date(atMillis).toLocaleString()
}

/** A time of this day, to the millisecond. */
export function clock(atMillis) {
  return new Date(atMillis).toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit', second: '2-digit',
    fractionalSecondDigits: 3, hour12: false})
}

/** An end; -1 for none. */
export function until(atMillis) {
  return atMillis < 0 ? 'never' : time(atMillis)
}

/**
 * A text that somebody else chose, as it can be read: what would be invisible or turn the direction of writing stands
 * as its number, and the end of a long one is left out.
 */
export function visible(text, longest = 4096) {
  const shown = text.length > longest ? text.slice(0, longest) + '…' : text
  return shown.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/gu,
    each => '\\u{' + each.codePointAt(0).toString(16) + '}')
}

/** As `visible`, with its lines and tabs as they are. */
export function lines(text) {
  return text.split(/([\n\t])/).map((part, i) => i % 2 === 1 ? part : visible(part, part.length)).join('')
}

/** Bytes as people read them: where each line begins, sixteen bytes, and what is ASCII of them. */
export function hex(bytes) {
  const made = []
  for (let at = 0; at < bytes.length; at += 16) {
    const line = [...bytes.subarray(at, at + 16)]
    made.push(at.toString(16).padStart(8, '0') + '  ' +
      line.map(each => each.toString(16).padStart(2, '0')).join(' ').padEnd(47) + '  ' +
      line.map(each => each >= 0x20 && each < 0x7f ? String.fromCharCode(each) : '.').join(''))
  }
  return made.join('\n')
}
