package io.godwit.api.stream;

import java.util.function.BooleanSupplier;

/**
 * The caller that reads a stream. Used on the event loop.
 *
 * @param share the token or certificate, or the tenant of several; a share may have only some streams at a time
 * @param mayGoOn whether the caller may still see this, asked now and then
 * @param cut ends the connection, whether its client reads or not
 */
public record StreamCaller(String share, BooleanSupplier mayGoOn, Runnable cut) {}
