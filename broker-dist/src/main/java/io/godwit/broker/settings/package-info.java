/**
 * The configuration as records of the sections of {@code standalone.yml}: {@link FileConfig} is the whole file. The
 * packages below have the larger sections. Each key is defined only here.
 */
@NullMarked
package io.godwit.broker.settings;

import org.jspecify.annotations.NullMarked;
