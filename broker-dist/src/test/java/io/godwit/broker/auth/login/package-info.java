@NullMarked
package io.godwit.broker.auth.login;

import org.jspecify.annotations.NullMarked;
