/** {@code bin/godwit-admin} on packaged brokers. */
@NullMarked
package io.godwit.it.admin;

import org.jspecify.annotations.NullMarked;
