/**
 * Reads the configuration, and finds what prevents a start: mistakes in the configuration, files of somebody else in
 * the data directory, ports that other processes use.
 */
@NullMarked
package io.godwit.broker.check;

import org.jspecify.annotations.NullMarked;
