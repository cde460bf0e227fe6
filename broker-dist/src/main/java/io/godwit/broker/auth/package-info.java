/**
 * The built-in authentication: everybody ({@code AllowAll}), or a file of users and a file of rules ({@code FileAuth});
 * and the tool that edits the file of users.
 */
@NullMarked
package io.godwit.broker.auth;

import org.jspecify.annotations.NullMarked;
