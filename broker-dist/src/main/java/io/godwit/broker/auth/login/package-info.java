/** The order in which slow checks of logins are made. Uses only plugin-api. */
@NullMarked
package io.godwit.broker.auth.login;

import org.jspecify.annotations.NullMarked;
