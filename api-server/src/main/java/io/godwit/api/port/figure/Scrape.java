package io.godwit.api.port.figure;

/**
 * The metrics of a node at one time.
 *
 * @param contentType of the text
 */
@SuppressWarnings("ArrayRecordComponent") // passed on once, never compared
public record Scrape(String contentType, byte[] text) {}
