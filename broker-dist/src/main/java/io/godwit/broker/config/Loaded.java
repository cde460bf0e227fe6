package io.godwit.broker.config;

import java.util.List;
import java.util.function.Predicate;

/**
 * What the sources gave.
 *
 * @param file what the file may have, with what the environment said instead
 * @param properties the system properties, and what the environment said of them
 * @param effective every key with its value, in the order of the file; the properties last
 * @param errors one each, beginning with the key; values that are wrong have their default in the records
 * @param isFlawed whether an error belongs to a path or to one below it
 */
public record Loaded<F extends Record, P extends Record>(
        F file, P properties, List<Effective> effective, List<String> errors, Predicate<String> isFlawed) {}
