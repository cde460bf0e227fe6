@NullMarked
package io.godwit.broker.auth.remote;

import org.jspecify.annotations.NullMarked;
