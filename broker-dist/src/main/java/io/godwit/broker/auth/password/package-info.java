/**
 * Users with their passwords: the file of users, the forms in which it stores passwords, and their check, plain or by
 * SCRAM.
 */
@NullMarked
package io.godwit.broker.auth.password;

import org.jspecify.annotations.NullMarked;
