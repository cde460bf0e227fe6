@NullMarked
package io.godwit.broker.auth.jwt;

import org.jspecify.annotations.NullMarked;
