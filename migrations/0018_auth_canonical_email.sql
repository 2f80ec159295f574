-- Stores email addresses in the one form in which they are compared and written to: ASCII in lower case.
--
-- auth.login already holds the lower case of every address, so no two accounts become one. Addresses that are not ASCII
-- stay as they are: their owners log in and reset their passwords as before, and nobody can register them again.

update auth.account set email = lower(email collate "C")
where email ~ '^[ -~]+$' and email <> lower(email collate "C");

update auth.email_link_token set email = lower(email collate "C")
where email ~ '^[ -~]+$' and email <> lower(email collate "C");

-- The lower case of the Kelvin sign is the letter k. An account with it in the local part has the login of another
-- address than the one that it was written to. It keeps its data and its password, and from now on it is written to the
-- address of its login, which is unconfirmed: the owner of that address can take it over by a password reset.
update auth.account set email = lower(replace(email, U&'\212A', 'k') collate "C"), email_confirmed_at = null
where email like '%' || U&'\212A' || '%' and replace(email, U&'\212A', 'k') ~ '^[ -~]+$';
