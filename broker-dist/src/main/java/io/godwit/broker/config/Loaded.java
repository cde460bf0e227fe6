package io.godwit.broker.config;

import java.util.List;
import java.util.function.Predicate;

/**
 * The result of reading all sources.
 *
 * @param file the values of the file, overridden by the environment
 * @param properties the system properties, and environment variables for those not set
 * @param effective every key with its value, in the order of the file; the properties last
 * @param errors one entry per error, beginning with the key; the records have the default in place of a wrong value
 * @param isFlawed whether an error belongs to a path or to one below it
 */
public record Loaded<F extends Record, P extends Record>(
        F file, P properties, List<Effective> effective, List<String> errors, Predicate<String> isFlawed) {}
