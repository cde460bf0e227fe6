/** Converts configuration files of other brokers. Only creates new files, and changes no existing one. */
@NullMarked
package io.godwit.broker.conversion;

import org.jspecify.annotations.NullMarked;
