-- Which trades stand in a file was noted and never read: a change knows those that it added.
alter table trades.import drop column claims;
