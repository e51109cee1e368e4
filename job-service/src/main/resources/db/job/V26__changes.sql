-- what streams tell of, see ChangeLog in module edge: marks are made by writers, numbers are given to committed marks
create table change_mark (
    entry bigint generated always as identity primary key,
    feed  text not null,
    key   text not null
);
create sequence change_number;
create table change (
    feed   text   not null,
    key    text   not null,
    number bigint not null,
    primary key (feed, key)
);
create unique index change_in_order on change (number);
